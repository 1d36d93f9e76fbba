"""Thresholds: what they say of a run, and what is said of a text that is none."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from analysis import builders
from analysis.scenario import Scenario
from definition.sentences import unlisted
from hypothesis import given
from hypothesis import strategies as st
from ngxlab.analysis.gates import ThresholdResult, evaluate, overall
from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import ArmInfo, CheckResult, PlanFacts, RunAnalysis, TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.analysis.thresholds import METRICS, Threshold, ThresholdError, parse
from ngxlab.definition.schema.plan import Threshold as Fields

from scripts.simulations.percentiles import of_values

ROOT = Path(__file__).parents[3]
_TEMPLATE = summarise_trial(builders.trial(Scenario().build()))
_RATES = {"base": (1000.0, 1010.0, 990.0), "fast": (1500.0, 1520.0, 1480.0), "shaky": (900.0, 1400.0, 1000.0)}


def _trial(arm: str, block: int, rate: float) -> TrialSummary:
    facts = {"trial_id": builders.identity(f"{arm}{block}"), "arm": arm, "block": block, "requests_per_s": rate}
    return _TEMPLATE.model_copy(update=facts)


_TRIALS = [_trial(arm, block, rate) for arm, rates in _RATES.items() for block, rate in enumerate(rates, start=1)]


def _analysis(checks: list[CheckResult]) -> RunAnalysis:
    arms = [ArmInfo(key=key, label=key) for key in _RATES]
    plan = PlanFacts(blocks=3, measure_s=10, warmup_s=2, trials_planned=9)
    own = [[check.model_copy(update={"trial_ids": [trial.trial_id]}) for check in checks] for trial in _TRIALS]
    return analyse_run(arms, "base", list(zip(_TRIALS, own, strict=True)), plan)


@pytest.fixture(scope="module")
def analysis() -> RunAnalysis:
    return _analysis([])


def _results(analysis: RunAnalysis, *texts: str) -> dict[str, ThresholdResult]:
    return {result.arm: result for result in evaluate([parse(text) for text in texts], analysis, _TRIALS)}


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
    assert list(unlisted(refusal.value.said)) == []


def test_conditions_in_the_documents_are_thresholds() -> None:
    found = [
        text
        for name in ("ci.md", "user-guide.md", "glossary.md")
        for text in re.findall(r"`([a-z0-9_]+ (?:ratio )?[<>]=? [^`]+)`", (ROOT / "docs" / name).read_text("utf-8"))
    ]
    assert len(found) >= 2
    assert [parse(text).text for text in found] == found


@given(st.text(max_size=40) | st.lists(st.sampled_from([*METRICS, "ratio", "<", "for", "1", "x"])).map(" ".join))
def test_any_text_is_a_threshold_or_is_told_why_not(text: str) -> None:
    word, number = 0, 0.0
    try:
        number = parse(text).limit
    except ThresholdError as error:
        word = error.word
    assert 0 <= word <= len(text.split()) + 1
    assert math.isfinite(number)


def test_every_arm_is_judged_by_its_own_interval(analysis: RunAnalysis) -> None:
    results = _results(analysis, "requests_per_s > 1200")
    assert {arm: result.outcome for arm, result in results.items()} == {
        "base": "fail", "fast": "pass", "shaky": "undecided",
    }  # fmt: skip
    assert results["fast"].observed == pytest.approx(1500, rel=0.01)
    assert results["fast"].message == "1,500 requests/s (95 % CI 1,451 to 1,550) is > 1200"
    assert "may or may not be > 1200" in results["shaky"].message


def test_a_ratio_spares_the_baseline_and_is_judged_by_its_interval(analysis: RunAnalysis) -> None:
    results = _results(analysis, "requests_per_s ratio > 0.98")
    assert {arm: result.outcome for arm, result in results.items()} == {"fast": "pass", "shaky": "undecided"}
    assert results["fast"].observed == pytest.approx(1.5, rel=0.01)


def test_one_arm_only(analysis: RunAnalysis) -> None:
    assert list(_results(analysis, "p99_ms < 20 for fast")) == ["fast"]


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_is_read_in_its_unit(analysis: RunAnalysis, metric: str) -> None:
    """The scenario: 600 responses a second of 0.1 to 1 ms, on workers of known shares."""
    result = _results(analysis, f"{metric} >= 0 for base")["base"]
    expected = {"p50_ms": 0.35, "p90_ms": 1, "p99_ms": 1, "mean_ms": 0.4167, "max_ms": 1, "requests_per_s": 1000}
    if metric == "p999_ms" and result.observed is None:
        assert "no usable trial" in result.message
        return
    if metric in {"capacity_per_s", "plateau_per_s"}:
        assert (result.outcome, result.message) == (
            "undecided",
            f"not known: no usable trial of base has {metric}",
        )
        return
    assert result.outcome == "pass"
    if metric in expected:
        assert result.observed == pytest.approx(expected[metric], rel=0.15)


def test_errors_are_those_of_the_worst_stream_in_any_usable_trial(analysis: RunAnalysis) -> None:
    trial = _TRIALS[0]
    (stream, *_) = trial.streams
    assert stream.errors is not None
    failing = stream.model_copy(update={"errors": stream.errors.model_copy(update={"share_percent": 2.5})})
    threshold = parse("errors_percent <= 0.1 for base")
    trials = [trial.model_copy(update={"streams": [stream, failing]}), *_TRIALS[1:]]
    (result,) = evaluate([threshold], analysis, trials)
    assert (result.outcome, result.observed) == ("fail", 2.5)
    unusable = trial.model_copy(update={"streams": [failing], "usable": False})
    (result,) = evaluate([threshold], analysis, [unusable, *_TRIALS[1:]])
    assert result.outcome == "pass"


def test_what_is_not_known_is_undecided(analysis: RunAnalysis) -> None:
    missing = _results(analysis, "p99_ms < 20 for nobody")["nobody"]
    assert (missing.outcome, missing.message) == ("undecided", "not known: the run has no such arm")
    zero = _results(analysis, "errors_percent ratio < 2 for fast")["fast"]
    assert zero.outcome == "undecided"
    (alone,) = evaluate([parse("requests_per_s > 1 for base")], analysis, _TRIALS[:1])
    assert (alone.outcome, alone.message) == ("undecided", "1,000 requests/s; a single trial has no interval")


def test_a_run_that_is_not_valid_neither_passes_nor_fails() -> None:
    saturated = CheckResult(
        number=1, key="generator-saturated", severity="error", title="", message="98 % of a core", remedy=None,
        trial_ids=[],
    )  # fmt: skip
    analysis = _analysis([saturated])
    (result,) = evaluate([parse("requests_per_s > 1 for fast")], analysis, _TRIALS)
    assert result.outcome == "not_valid"
    assert result.message == "not valid: the generator was saturated, in 9 of 9 trials: 98 % of a core"
    only_latency = _analysis([saturated.model_copy(update={"voids": ["latency"]})])
    results = evaluate([parse("requests_per_s > 1 for fast"), parse("p99_ms < 20 for fast")], only_latency, _TRIALS)
    assert [one.outcome for one in results] == ["pass", "not_valid"]


def test_the_worst_outcome_is_that_of_the_run(analysis: RunAnalysis) -> None:
    def outcome(*texts: str) -> str | None:
        return overall(evaluate([parse(text) for text in texts], analysis, _TRIALS))

    assert outcome("requests_per_s > 1") == "pass"
    assert outcome("requests_per_s > 1", "requests_per_s > 1200") == "fail"
    assert outcome("requests_per_s > 1", "p99_ms < 20 for nobody") == "undecided"
    assert outcome() is None


def test_a_ratio_fails_few_runs_in_which_nothing_differs() -> None:
    """`ratio > 0.98` where the arms are equal, at 5 % noise: at most 2.5 % of runs fail, whatever the arms."""
    random, failed = np.random.default_rng(11), 0
    for _ in range(200):
        rates = {arm: 1000 * np.exp(random.normal(0, 0.05, 4)) for arm in _RATES}
        trials = [_trial(arm, block, rate) for arm, of_arm in rates.items() for block, rate in enumerate(of_arm)]
        results = evaluate([parse("requests_per_s ratio > 0.98")], _analysis([]), trials)
        failed += any(result.outcome == "fail" for result in results)
    assert failed / 200 <= 0.025 + 3 * math.sqrt(0.025 * 0.975 / 200)


@given(
    metric=st.sampled_from(METRICS),
    ratio=st.booleans(),
    compare=st.sampled_from(["<", "<=", ">", ">="]),
    value=st.floats(-1e12, 1e12).map(lambda number: float(f"{number:.9g}")),
    arm=st.none() | st.just("threads.32"),
)
def test_fields_say_what_a_text_says(metric: str, ratio: bool, compare: str, value: float, arm: str | None) -> None:
    statistic = metric.removesuffix("_ms") if metric.endswith("_ms") else None
    named = "latency_ms" if statistic is not None else metric
    raw = {"metric": named, "statistic": statistic, "ratio": ratio, "compare": compare, "value": value, "arm": arm}
    fields = Fields.model_validate(raw)
    assert fields.problem is None
    assert parse(fields.text) == Threshold(fields.text, metric, ratio, compare, value, arm)


def test_a_threshold_on_a_percentile_is_on_that_of_all_responses(analysis: RunAnalysis) -> None:
    """Where trials are apart by a factor of two, it lies above the mean of their own."""
    random = np.random.default_rng(5)
    parts = [random.lognormal(8 + shift, 0.1, 3000) for shift in (-0.35, 0.0, 0.35)]
    trials = [
        _trial("base", block, 1000).model_copy(update={"latency_histogram": of_values(part).encode()})
        for block, part in enumerate(parts, start=1)
    ]
    (result,) = evaluate([parse("p90_ms < 1000 for base")], analysis, trials)
    pooled = float(np.quantile(np.concatenate(parts), 0.9)) / 1000
    mean = math.exp(float(np.mean([math.log(np.quantile(part, 0.9)) for part in parts]))) / 1000
    assert result.observed == pytest.approx(pooled, rel=2e-3)
    assert pooled > 1.2 * mean
    assert result.low is not None
    assert result.low < mean < pooled
    (few,) = evaluate([parse("p99_ms < 1000 for base")], analysis, trials[:1])
    assert few.message.endswith("a single trial has no interval")
