"""Thresholds: what they say of a run, and what is said of a text that is none."""

import math

import pytest
from analysis import builders
from analysis.scenario import Scenario
from hypothesis import given
from hypothesis import strategies as st
from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import ArmInfo, PlanFacts, RunAnalysis, TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.analysis.thresholds import (
    METRICS,
    Threshold,
    ThresholdError,
    ThresholdResult,
    error_shares,
    evaluate,
    parse,
    passed,
)

_TEMPLATE = summarise_trial(builders.trial(Scenario().build()))
_RATES = {"base": (1000.0, 1010.0, 990.0), "fast": (1500.0, 1515.0, 1485.0), "shaky": (900.0, 1400.0, 1000.0)}


def _trial(arm: str, block: int, rate: float) -> TrialSummary:
    facts = {"trial_id": builders.identity(f"{arm}{block}"), "arm": arm, "block": block, "requests_per_s": rate}
    return _TEMPLATE.model_copy(update=facts)


_TRIALS = [_trial(arm, block, rate) for arm, rates in _RATES.items() for block, rate in enumerate(rates, start=1)]


@pytest.fixture(scope="module")
def analysis() -> RunAnalysis:
    arms = [ArmInfo(key=key, label=key) for key in _RATES]
    plan = PlanFacts(blocks=3, measure_s=10, warmup_s=2, trials_planned=9)
    return analyse_run(arms, "base", [(trial, []) for trial in _TRIALS], plan)


def _results(analysis: RunAnalysis, *texts: str, errors: dict[str, float] | None = None) -> dict[str, ThresholdResult]:
    return {result.arm: result for result in evaluate([parse(text) for text in texts], analysis, errors or {})}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p99_ms < 20", Threshold("p99_ms < 20", "p99_ms", False, "<", 20, None)),
        ("cpu_cv ratio > 0.98", Threshold("cpu_cv ratio > 0.98", "cpu_cv", True, ">", 0.98, None)),
        ("  max_ms  <=  1e3  for  a.b ", Threshold("  max_ms  <=  1e3  for  a.b ", "max_ms", False, "<=", 1000, "a.b")),
        ("p50_ms ratio >= 1 for x", Threshold("p50_ms ratio >= 1 for x", "p50_ms", True, ">=", 1, "x")),
    ],
)  # fmt: skip
def test_what_a_threshold_means(text: str, expected: Threshold) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "word", "said"),
    [
        ("", 1, "the missing word is not a metric"),
        ("p99 < 20", 1, "did you mean p99_ms"),
        ("joy < 20", 1, "the metrics are requests_per_s"),
        ("p99_ms", 2, "must be one of"),
        ("p99_ms ratio", 3, "must be one of"),
        ("p99_ms == 2", 2, "'==' must be one of"),
        ("p99_ms <", 3, "must be a number"),
        ("p99_ms < 2ms", 3, "'2ms' must be a number"),
        ("p99_ms < inf", 3, "finite"),
        ("p99_ms < 2 in a", 4, "for ARM"),
        ("p99_ms < 2 for", 5, "arm's key"),
        ("p99_ms < 2 for a b", 6, "not expected"),
        ("p99_ms ratio < 2 for a b", 7, "not expected"),
    ],
)
def test_the_word_that_is_wrong_is_pointed_at(text: str, word: int, said: str) -> None:
    with pytest.raises(ThresholdError) as refusal:
        parse(text)
    assert refusal.value.word == word
    assert said in str(refusal.value)


@given(st.text(max_size=40) | st.lists(st.sampled_from([*METRICS, "ratio", "<", "for", "1", "x"])).map(" ".join))
def test_any_text_is_a_threshold_or_is_told_why_not(text: str) -> None:
    word, number = 0, 0.0
    try:
        number = parse(text).limit
    except ThresholdError as error:
        word = error.word
    assert 0 <= word <= len(text.split()) + 1
    assert math.isfinite(number)


def test_every_arm_is_judged_by_its_own_figure(analysis: RunAnalysis) -> None:
    results = _results(analysis, "requests_per_s > 1200")
    assert {arm: result.passed for arm, result in results.items()} == {"base": False, "fast": True, "shaky": False}
    assert results["fast"].observed == pytest.approx(1500, rel=0.01)
    assert results["fast"].message == "1500 requests/s is > 1200"
    assert results["base"].message == "1000 requests/s is not > 1200"


def test_a_ratio_spares_the_baseline_and_says_whether_the_interval_carries_it(analysis: RunAnalysis) -> None:
    results = _results(analysis, "requests_per_s ratio > 0.98")
    assert set(results) == {"fast", "shaky"}
    assert (results["fast"].passed, results["fast"].certain) == (True, True)
    assert results["fast"].observed == pytest.approx(1.5)
    assert (results["shaky"].passed, results["shaky"].certain) == (True, False)
    assert "both sides" in results["shaky"].message


def test_one_arm_only(analysis: RunAnalysis) -> None:
    assert list(_results(analysis, "p99_ms < 20 for fast")) == ["fast"]


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "errors_percent"])
def test_every_metric_is_read_in_its_unit(analysis: RunAnalysis, metric: str) -> None:
    """The scenario: 600 responses a second of 0.1 to 1 ms, on workers of known shares."""
    result = _results(analysis, f"{metric} >= 0 for base")["base"]
    expected = {"p50_ms": 0.35, "p90_ms": 1, "p99_ms": 1, "mean_ms": 0.4167, "max_ms": 1, "requests_per_s": 1000}
    if metric == "p999_ms" and result.observed is None:
        assert "no usable trial" in result.message
        return
    assert result.passed is True
    assert result.observed is not None
    if metric in expected:
        assert result.observed == pytest.approx(expected[metric], rel=0.15)


def test_errors_come_from_the_worst_stream_of_the_trials() -> None:
    trial = _TRIALS[0]
    (stream, *_) = trial.streams
    assert stream.errors is not None
    failing = stream.model_copy(update={"errors": stream.errors.model_copy(update={"share_percent": 2.5})})
    trials = [trial, trial.model_copy(update={"streams": [stream, failing]})]
    assert error_shares(trials) == {"base": 2.5}
    unusable = trial.model_copy(update={"streams": [failing], "usable": False})
    assert error_shares([unusable]) == {}


def test_errors_are_judged(analysis: RunAnalysis) -> None:
    results = _results(analysis, "errors_percent <= 0.1", errors={"base": 0.0, "fast": 2.5})
    assert {arm: result.passed for arm, result in results.items()} == {"base": True, "fast": False, "shaky": None}


def test_what_is_not_known_is_neither_passed_nor_failed(analysis: RunAnalysis) -> None:
    missing = _results(analysis, "p99_ms < 20 for nobody")["nobody"]
    assert (missing.passed, missing.message) == (None, "not known: the run has no such arm")
    zero = _results(analysis, "errors_percent ratio < 2 for fast", errors={"base": 0.0, "fast": 1.0})["fast"]
    assert (zero.passed, zero.message) == (None, "not known: errors_percent of the baseline is zero")


def test_a_run_passes_when_all_hold(analysis: RunAnalysis) -> None:
    def verdict(*texts: str) -> bool | None:
        return passed(evaluate([parse(text) for text in texts], analysis, {}))

    assert verdict("requests_per_s > 1") is True
    assert verdict("requests_per_s > 1", "requests_per_s > 1200") is False
    assert verdict("requests_per_s > 1", "errors_percent < 1") is None
    assert verdict("requests_per_s > 1200", "errors_percent < 1") is False
    assert verdict() is None
