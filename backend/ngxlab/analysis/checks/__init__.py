"""Validity checks (docs/checks.md), one by one. A check whose data are missing is ``unavailable``, not a pass."""

import sys
from collections.abc import Sequence
from functools import cache

from ngxlab.analysis.checks.check import Declaration, RunCheck, TrialCheck
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.records.trial_record import so_far
from ngxlab.analysis.schemas import CheckResult, TrialSummary
from ngxlab.analysis.summary.running_errors import with_errors_so_far
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.core.discovery import values_in


@cache
def declarations() -> tuple[Declaration, ...]:
    """Every check that a file of this folder declares, by number; checks without a number come last, by key."""
    found = [value for value in values_in(sys.modules[__name__]) if isinstance(value, Declaration)]
    return tuple(sorted(found, key=lambda check: (check.number or sys.maxsize, check.key)))


@cache
def trial_checks() -> tuple[TrialCheck, ...]:
    return tuple(check for check in declarations() if isinstance(check, TrialCheck))


def check_trial(record: TrialRecord, summary: TrialSummary) -> list[CheckResult]:
    """Every check of one trial, by number. Empty if no host of the record is the target."""
    target = record.target
    if target is None:
        return []
    context = TrialContext(record, summary, target)
    return [check.apply(context) for check in trial_checks()]


def check_run(summaries: Sequence[TrialSummary]) -> list[CheckResult]:
    """The checks that compare trials."""
    return [check.apply(list(summaries)) for check in declarations() if isinstance(check, RunCheck)]


def check_so_far(record: TrialRecord) -> list[CheckResult] | None:
    """Warnings and errors of a trial under way; ``None`` while its window is too short to tell."""
    cut_off = so_far(record)
    target = cut_off.target if cut_off is not None else None
    if cut_off is None or target is None:
        return None
    context = TrialContext(cut_off, with_errors_so_far(summarise_trial(cut_off), cut_off), target)
    results = [check.apply(context) for check in trial_checks() if check.while_measured]
    return [result for result in results if result.severity in {"warning", "error"}]
