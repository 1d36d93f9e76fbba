"""Validity checks (docs/checks.md), one by one. A check whose data are missing is ``unavailable``, not a pass."""

import sys
from collections.abc import Sequence
from functools import cache

from ngxlab.analysis.checks.check import Declaration, RunCheck, TrialCheck, TrialContext
from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.records.trial_record import so_far
from ngxlab.analysis.schemas import CheckResult, ErrorSummary, TrialSummary
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


_KINDS = ("connect", "read", "write", "timeout", "status", "garbage")
_ERRORS = "ngxlab_stream_errors_total"
_COMPLETED = "ngxlab_stream_requests_completed_total"


def with_errors_so_far(summary: TrialSummary, record: TrialRecord) -> TrialSummary:
    """wrk tells its errors only at its end: its streams stay without."""
    streams = []
    for stream in summary.streams:
        host = next((one for one in record.hosts if one.host_id == stream.host_id), None)
        counted = _errors(host, stream.stream) if host is not None else None
        streams.append(stream.model_copy(update={"errors": stream.errors or counted}))
    return summary.model_copy(update={"streams": streams})


def _errors(host: HostRecord, stream: str) -> ErrorSummary | None:
    counts = {kind: _latest(host, _ERRORS, stream=stream, kind=kind) for kind in _KINDS}
    answered = _latest(host, _COMPLETED, stream=stream)
    if answered is None or any(count is None for count in counts.values()):
        return None
    known = {kind: count or 0 for kind, count in counts.items()}
    failed = sum(known.values())
    share = 100 * failed / answered if answered else 100.0 if failed else None
    return ErrorSummary(**known, share_percent=share)


def _latest(host: HostRecord, name: str, **labels: str) -> int | None:
    series = host.series.find(name, **labels)
    value = series[-1].last_before(int(series[-1].t_us[-1]) + 1) if series and series[-1].t_us.size else None
    return round(value) if value is not None else None
