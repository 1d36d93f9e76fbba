"""How searches ended, and what other checks make of a load that goes beyond what nginx can take on purpose."""

import pytest
from analysis import searching
from analysis.check_results import results_of
from analysis.searching import found, record, step
from ngxlab.analysis.schemas import CheckResult
from ngxlab_contracts.telemetry import NoteEvent


def ended(how: searching.Ended) -> CheckResult:
    return results_of(record([step(1, 100), found(None, how)]))["capacity"]


RECORDS = {("capacity", "error"): lambda: ended("generator"), ("capacity", "warning"): lambda: ended("no-rate")}
SEEN_WITHOUT_READINGS = {"capacity": "no stream searches"}
VOIDED = {"capacity": ["throughput"]}


@pytest.mark.parametrize(
    ("how", "severity", "remedy"),
    [
        ("generator", "error", "give the stream more processes"),
        ("every-rate", "warning", "raise to_per_s"),
        ("no-rate", "warning", "lower from_per_s"),
        ("unfinished", "warning", "lengthen the measured window"),
    ],
)
def test_each_end_without_a_value_says_what_to_change(how: searching.Ended, severity: str, remedy: str) -> None:
    result = ended(how)
    assert (result.severity, (result.remedy or "")[: len(remedy)]) == (severity, remedy)
    assert result.message.startswith("stream main tried 1 rates: ")


def test_a_search_that_found_its_capacity_passes() -> None:
    result = results_of(record([step(1, 100), step(2, 200, "void"), found(1_000)]))["capacity"]
    assert (result.severity, result.message) == (
        "pass",
        "stream main tried 2 rates and found its capacity; 1 of them say nothing of nginx",
    )


def test_a_search_whose_end_nobody_told_is_not_checked() -> None:
    assert results_of(record([step(1, 100)]))["capacity"].severity == "unavailable"


def test_checks_of_a_planned_load_leave_a_search_out() -> None:
    results = results_of(record([step(1, 100), found(1_000)]))
    for key in ("steady", "open-loop-behind", "errors", "timeouts"):
        assert (results[key].severity, results[key].message.startswith("does not apply")) == ("pass", True), key


@pytest.mark.parametrize(("code", "severity"), [("nginx-no-live-upstreams", "info"), ("nginx-crit", "error")])
def test_limits_that_a_search_meets_are_no_fault(code: str, severity: str) -> None:
    note = NoteEvent(
        t_us=searching.WINDOW_US,
        severity="warning",
        code=code,
        message="3 times in nginx's error log: no live upstreams",
    )
    assert results_of(record([step(1, 100), found(1_000), note]))["nginx-log"].severity == severity
