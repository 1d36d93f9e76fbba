"""Exit codes and tables from reports."""

import re

import pytest
from ngxlab_cli import tables
from ngxlab_cli.commands import exit_code
from ngxlab_cli.errors import Exit
from ngxlab_cli.models import (
    Answer,
    ArmAnalysis,
    ArmMetric,
    Bottleneck,
    CheckSummary,
    Comparison,
    DefinitionProblem,
    MetricInfo,
    Report,
    RunAnalysis,
    RunSummary,
    ThresholdResult,
    VerdictSentence,
    Why,
    WhyEvidence,
)
from tests.support.readings import reading

FASTER = Comparison(
    scale="ratio",
    estimate=9.1,
    ci_low=8,
    ci_high=10,
    verdict="better",
    text="9.1x",
    ci_text="8.0x to 10.0x",
    interval="96 % CI",
)


def arm(key: str, rate: float, p99_us: float, comparison: Comparison | None) -> ArmAnalysis:
    metrics = [
        ArmMetric(metric="requests_per_s", mean=rate, comparison=comparison),
        ArmMetric(metric="latency_p99_us", mean=p99_us, comparison=None),
    ]
    return ArmAnalysis(key=key, label=key, is_baseline=comparison is None, usable_trials=5, metrics=metrics)


def report(*thresholds: ThresholdResult, verdict: str = "decided", outcome: str | None = None) -> Report:
    analysis = RunAnalysis(
        headline="Better: it is faster. Validity: all passed.",
        not_valid="Not valid: the generator was saturated." if verdict == "not_valid" else None,
        answers=[
            Answer(metric="requests_per_s", question="More requests/s?", sign="yes", word="Yes", text="`threads` 9.1x")
        ],
        statements=[
            VerdictSentence(arm="threads", metric="requests_per_s", verdict="better", text="Better: it is faster.")
        ],
        qualification="Validity: all passed.",
        verdict=verdict,
        metrics=[
            MetricInfo(key="requests_per_s", title="Requests per second", unit="requests/s"),
            MetricInfo(key="latency_p99_us", title="Latency, p99", unit="us"),
        ],
        arms=[arm("off", 1234.5, 1_634_500, None), arm("threads", 11_234, 2_000, FASTER)],
        checks=CheckSummary(text="all passed"),
    )
    return Report(analysis=analysis, findings=None, thresholds=list(thresholds), outcome=outcome)


def threshold(outcome: str) -> ThresholdResult:
    return ThresholdResult(text="p99_ms < 20", arm="threads", outcome=outcome, observed=2.0, message="2 ms")


@pytest.mark.parametrize(
    ("state", "outcome", "code"),
    [
        ("completed", None, 0),
        ("completed", "pass", 0),
        ("completed", "fail", 1),
        ("completed", "undecided", 2),
        ("completed", "not_valid", 3),
        ("failed", "pass", Exit.RUN_FAILED),
        ("cancelled", None, Exit.RUN_FAILED),
    ],
)
def test_exit_codes(state: str, outcome: str | None, code: int) -> None:
    assert exit_code(reading(state), report(outcome=outcome)) == code


def test_without_thresholds_a_run_that_is_not_valid_is_no_success() -> None:
    assert exit_code(reading("completed"), report(verdict="not_valid")) is Exit.NOT_VALID


def test_the_verdict_as_text() -> None:
    text = tables.verdict(reading("completed"), report(threshold("pass"), threshold("undecided")))
    lines = [re.sub(r" {2,}", " | ", line.strip()) for line in text.splitlines()]
    assert lines == [
        "E, run 1, completed",
        "",
        "More requests/s? | Yes: threads 9.1x",
        "",
        "Better: it is faster.",
        "Validity: all passed.",
        "",
        "arm | requests/s | p99 ms",
        "off | 1,234 | 1,634",
        "threads | 11,234 | 2",
        "against baseline | 9.1x (96 % CI 8.0x to 10.0x) | -",
        tables.LEGEND,
        "",
        "thresholds",
        "pass | p99_ms < 20 | threads | 2 ms",
        "undecided | p99_ms < 20 | threads | 2 ms",
    ]


def test_why_an_arm_differs_stands_after_the_verdict_with_how_to_know_more() -> None:
    cause = Why(
        arm="threads", metrics=["requests_per_s", "latency_p99_us"], found="cause",
        text="Why: with `threads` a request costs 1.2 ms less CPU time than with `off`, 92 % of it in pread64.",
        evidence=[WhyEvidence(kind="function", key="pread64", text="pread64: -1,104.0 µs a request")],
    )  # fmt: skip
    told = tables.verdict(reading("completed"), report().model_copy(update={"why": [cause]}))
    said = " ".join(told.split())
    assert "Validity: all passed. why Requests per second, Latency, p99. Why: with `threads` a request" in said
    assert "ngxlab profile" not in said
    unknown = cause.model_copy(update={"found": "not_profiled", "text": "`threads` goes with: Load average -1.0."})
    told = tables.verdict(reading("completed"), report().model_copy(update={"why": [unknown]}))
    assert "What causes it was not looked for: that takes two profiles of each arm" in told


def test_what_would_decide_is_told_after_what_is_undecided() -> None:
    given = report()
    advice = "Longer trials would not help: about 8 % of the scatter of p99 comes from within trials; add blocks."
    analysis = given.analysis.model_copy(update={"more_or_longer": [advice]})
    lines = " ".join(tables.verdict(reading("completed"), given.model_copy(update={"analysis": analysis})).split())
    assert f"Better: it is faster. {advice} Validity: all passed." in lines


def test_results_that_a_check_voids_come_with_a_warning_first() -> None:
    text = tables.verdict(reading("completed"), report(verdict="not_valid"))
    assert text.index("Not valid: the generator was saturated.") < text.index("Better: it is faster.")


@pytest.mark.parametrize(("verdict", "word"), [("decided", "decided"), ("not_valid", "NOT VALID"), (None, "-")])
def test_a_list_shows_the_state_of_the_verdict(verdict: str | None, word: str) -> None:
    run = RunSummary.model_validate(reading("completed", verdict=verdict).model_dump() | {"tags": []})
    heads, row = (re.split(r" {2,}", line) for line in tables.runs([run]).splitlines())
    assert row[heads.index("VERDICT")] == word


def test_the_reason_of_a_failed_run_is_told() -> None:
    assert "E, run 1, failed: nginx died" in tables.verdict(reading("failed", state_reason="nginx died"), report())


def test_problems_name_their_place() -> None:
    found = [
        DefinitionProblem(field="nginx.server", message="unknown directive", line=3, arms=["a", "b"]),
        DefinitionProblem(field="", message="not a document"),
    ]
    assert tables.problems(found).splitlines() == [
        "  nginx.server line 3: unknown directive (arms: a, b)",
        "  not a document",
    ]


def test_the_resource_that_limited_an_arm_is_told_with_its_evidence() -> None:
    given = report()
    limit = Bottleneck(resource="one worker", evidence="the only worker ran 97 % of the time")
    given.analysis.arms[1] = given.analysis.arms[1].model_copy(update={"bottleneck": limit})
    lines = tables.verdict(reading("completed"), given).splitlines()
    at = lines.index("limited by")
    assert lines[at + 1] == "  threads: one worker (the only worker ran 97 % of the time)"
    assert "limited by" not in tables.verdict(reading("completed"), report())
