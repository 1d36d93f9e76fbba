"""Checks applied to a record, held against what each of them declares."""

from importlib import import_module
from pathlib import Path
from typing import Any

from analysis import builders
from ngxlab.analysis.checks import check_trial, declarations
from ngxlab.analysis.checks.check import Declaration
from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import CheckResult
from ngxlab.analysis.summary.trial import summarise_trial

DECLARATIONS: dict[str, Declaration] = {check.key: check for check in declarations()}


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
    assert result.severity in {"pass", "unavailable", *declaration.results}, result
    assert result.remedy is None or result.remedy in declaration.remedies, result


def given(name: str) -> dict[Any, Any]:
    """What the test files of single checks add to the tables of all: ``RECORDS`` that lead to each result, what an
    error has ``VOIDED``, and which are ``SEEN_WITHOUT_READINGS``: by the configuration alone, in a plain trial."""
    files = sorted((Path(__file__).parent / "checks").glob("test_*.py"))
    modules = (
        import_module(f"analysis.checks.{file.stem}")
        for file in files
        if file.stem not in {"test_every_result", "test_voiding"}
    )
    return {key: value for module in modules for key, value in vars(module).get(name, {}).items()}
