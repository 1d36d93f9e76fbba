"""Metrics other than the rate: neutral ones, those that may be zero, and balance."""

from collections.abc import Mapping, Sequence

import pytest
from analysis.run_results import TEMPLATE, analyse, metric_of, said, summary
from ngxlab.analysis.schemas import Balance, RunAnalysis, TrialSummary


def with_values(by_arm: Mapping[str, Sequence[float | None]], key: str, primary: Sequence[str] = ()) -> RunAnalysis:
    """Two arms at the same rate that differ in one metric; ``None``: not measured."""
    trials = [
        summary(arm, block, 100.0, metric_values={} if value is None else {key: value})
        for arm, values in by_arm.items()
        for block, value in enumerate(values, start=1)
    ]
    return analyse({arm: [] for arm in by_arm}, trials, primary=primary)


def test_what_is_neither_good_nor_bad_is_higher_or_lower() -> None:
    analysis = with_values({"on": [4, 4.2, 3.8, 4], "rp": [60, 61, 62, 61]}, "iowait_percent")
    sentence = said(analysis, "rp", "iowait_percent")
    assert sentence.verdict == "higher"
    assert sentence.text.startswith(
        "Exploratory, higher: iowait is higher with `reuseport` than with `mutex on`: 61.0 against 4.00 %, a "
        "difference of +57.0 percentage points (95 %"
    )
    assert "iowait" not in analysis.headline
    for judgement in ("better", "worse", "good", "bad"):
        assert judgement not in sentence.text


def test_a_metric_may_be_zero_in_one_arm() -> None:
    analysis = with_values({"on": [102_887, 102_880, 102_890], "rp": [0, 0, 0]}, "disk_written_bytes_per_request")
    comparison = metric_of(analysis, "rp", "disk_written_bytes_per_request").comparison
    assert comparison is not None
    assert (comparison.verdict, comparison.text) == ("lower", "−100.47 KiB")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([0, 1, 0], "100 KiB → 0.33 B"),
        ([200_000, 1, 300_000], "−308 KiB to +433 KiB"),
        ([0], "−100 KiB (no interval)"),
    ],
)
def test_the_answer_names_the_unit_of_a_difference(values: list[float], text: str) -> None:
    key = "disk_written_bytes_per_request"
    analysis = with_values({"on": [102_887.0, 102_880.0, 102_890.0][: len(values)], "rp": values}, key, [key])
    assert [answer.text for answer in analysis.answers] == [text]


def test_a_difference_names_its_metric_and_its_unit() -> None:
    analysis = with_values({"on": [0, 0, 0], "rp": [40, 41, 42]}, "connection_churn", ["connection_churn"])
    sentence = said(analysis, "rp", "connection_churn")
    assert sentence.verdict == "worse"
    assert sentence.text == (
        "Worse: number of connections lost and reopened is higher with `reuseport` than with `mutex on`: 41.0 against "
        "0.00 connections, a difference of +41.0 connections (95 % CI +38.5 to +43.5, n = 3 pairs)."
    )


def test_a_ratio_without_direction_is_higher_or_lower_too() -> None:
    analysis = with_values({"on": [100, 101, 102], "rp": [80, 81, 82]}, "request_time_p99_ms")
    text = said(analysis, "rp", "request_time_p99_ms").text
    assert text.startswith(
        "Exploratory, lower: p99 of request time by nginx is 20 % lower with `reuseport` than with `mutex on` (95 % CI"
    )


def test_values_within_their_own_margin_are_equivalent() -> None:
    analysis = with_values({"on": [10, 10.1, 10.2], "rp": [10.2, 10.35, 10.4]}, "iowait_percent")
    assert said(analysis, "rp", "iowait_percent").text.startswith(
        "Exploratory, equivalent: iowait differs by less than 1 percentage point between `reuseport` and `mutex on` ("
    )


def test_a_factor_is_said_as_a_factor_of_what_it_multiplies() -> None:
    """ "Rose 2.9x" could mean 2.9 or 3.9 times as much."""
    analysis = with_values(
        {"on": [100, 101, 102], "rp": [290, 294, 296]}, "churn_p99_during_us", ["churn_p99_during_us"]
    )
    sentence = said(analysis, "rp", "churn_p99_during_us")
    assert sentence.text.startswith(
        "Worse: p99 during the churn is 2.90 times as high with `reuseport` as with `mutex on` (95 % CI 2.89x to "
    )


def test_a_noun_in_the_plural_has_a_verb_in_the_plural() -> None:
    for key, text in (
        ("churn_calls_failed", "failed churn calls are higher"),
        ("disk_written_bytes_per_request", "bytes written to disk per request are higher"),
        ("churn_recovery_s", "recovery time after the churn is higher"),
    ):
        analysis = with_values({"on": [1, 2, 3], "rp": [90_001, 90_003, 90_005]}, key)
        assert text in said(analysis, "rp", key).text


def test_metrics_that_no_trial_has_are_left_out() -> None:
    without = {metric.key for metric in with_values({"on": [None], "rp": [None]}, "load1").metrics}
    assert "upstream_time_p99_ms" not in without
    assert "latency_p99_us" in without
    partly = with_values({"on": [None, None], "rp": [20, 30]}, "upstream_time_p99_ms")
    assert metric_of(partly, "rp", "upstream_time_p99_ms").no_comparison_reason is not None


def balance(cpu_cv: float | None) -> Balance:
    return Balance(workers=4, cpu_cv=cpu_cv, cpu_max_over_mean=1, connections_cv=cpu_cv, connections_max_over_mean=1)


def test_balance_is_compared_by_difference_even_from_zero() -> None:
    evenly = [summary("on", block, 100, balance=balance(0.0)) for block in (1, 2, 3)]
    piled = [summary("rp", block, 100, balance=balance(cv)) for block, cv in ((1, 1.70), (2, 1.73), (3, 1.72))]
    analysis = analyse({"on": [None] * 3, "rp": [None] * 3}, extra=[*evenly, *piled], primary=["worker_cpu_cv"])
    comparison = metric_of(analysis, "rp", "worker_cpu_cv").comparison
    assert comparison is not None
    assert comparison.scale == "difference"
    assert comparison.estimate == pytest.approx((1.70 + 1.73 + 1.72) / 3)
    assert comparison.verdict == "worse"
    sentence = (
        "Worse: the workers of `reuseport` shared CPU less evenly than those of `mutex on`: CV 1.72 against 0.00, "
    )
    assert f"{sentence}a difference of +1.72 (95 % CI +1.68 to +1.73, n = 3 pairs)." in analysis.headline


def test_a_percentile_of_too_few_responses_is_hidden_and_says_why() -> None:
    def few(arm: str, block: int, count: int, p99_us: float | None) -> TrialSummary:
        assert TEMPLATE.latency is not None
        latency = TEMPLATE.latency.model_copy(update={"count": count, "p99_us": p99_us})
        return summary(arm, block, 100.0, latency=latency)

    trials = [few(arm, block, 640, None) for arm in ("on", "rp") for block in (1, 2)]
    analysis = analyse({"on": [], "rp": []}, trials)
    assert metric_of(analysis, "rp", "latency_p99_us").missing_reason == "only 640 responses; 1,000 are needed"
    told = "No comparison: p99 with `reuseport` against `mutex on`: only 640 responses; 1,000 are needed."
    assert told in analysis.headline
    some = analyse({"on": [], "rp": []}, [*trials[:2], few("rp", 1, 1200, 9.0), trials[3]])
    reason = "only 640 responses in 1 of 2 trials; 1,000 are needed"
    assert metric_of(some, "rp", "latency_p99_us").missing_reason == reason
    assert metric_of(some, "rp").missing_reason is None
