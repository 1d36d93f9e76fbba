"""The checks that can be made while a trial is measured, on what its hosts have sent so far."""

from ngxlab.analysis.checks import trial_checks
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.records.trial_record import so_far
from ngxlab.analysis.schemas import CheckResult
from ngxlab.analysis.summary.running_errors import with_errors_so_far
from ngxlab.analysis.summary.trial import summarise_trial


def check_so_far(record: TrialRecord) -> list[CheckResult] | None:
    """Warnings and errors of a trial under way; ``None`` while its window is too short to tell."""
    cut_off = so_far(record)
    target = cut_off.target if cut_off is not None else None
    if cut_off is None or target is None:
        return None
    context = TrialContext(cut_off, with_errors_so_far(summarise_trial(cut_off), cut_off), target)
    results = [check.apply(context) for check in trial_checks() if check.while_measured]
    return [result for result in results if result.severity in {"warning", "error"}]
