"""Checks applied to a record, held against what each of them declares."""

from analysis import builders
from ngxlab.analysis.checks import RUN_CHECKS, TRIAL_CHECKS, check_trial
from ngxlab.analysis.checks.check import Declaration
from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import CheckResult
from ngxlab.analysis.summary.trial import summarise_trial

DECLARATIONS: dict[str, Declaration] = {check.key: check for check in (*TRIAL_CHECKS, *RUN_CHECKS)}


def results_of(of: TrialRecord | HostRecord) -> dict[str, CheckResult]:
    """By key. Fails where a check returns a severity or a remedy that it does not declare.

    A host stands for the trial that it runs alone.
    """
    record = builders.trial(of) if isinstance(of, HostRecord) else of
    results = {result.key: result for result in check_trial(record, summarise_trial(record))}
    for result in results.values():
        assert_declared(result)
    return results


def assert_declared(result: CheckResult) -> None:
    declaration = DECLARATIONS[result.key]
    assert result.severity in {"pass", "unavailable", *declaration.severities}, result
    assert result.remedy is None or result.remedy in declaration.remedies, result
