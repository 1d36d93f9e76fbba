"""Runs made of summaries with chosen figures; the expected numbers are worked out here, not by the code."""

import math
from collections.abc import Mapping, Sequence

import pytest
from analysis import builders
from analysis.scenario import Scenario
from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import (
    ArmAnalysis,
    ArmInfo,
    ArmMetric,
    Balance,
    CheckResult,
    CheckSeverity,
    PlanFacts,
    RunAnalysis,
    TrialSummary,
    VerdictSentence,
    WorkerSummary,
)
from ngxlab.analysis.trial_summary import summarise_trial

ARMS = [ArmInfo(key=key, label=label) for key, label in [("on", "mutex on"), ("off", "mutex off"), ("rp", "reuseport")]]
TEMPLATE = summarise_trial(builders.trial(Scenario().build()))


def summary(arm: str, block: int, requests_per_s: float | None, **changes: object) -> TrialSummary:
    facts = {"trial_id": builders.identity(f"{arm}{block}{changes.get('attempt', 1)}"), "arm": arm, "block": block}
    return TEMPLATE.model_copy(update=facts | {"requests_per_s": requests_per_s} | changes)


def balance(cpu_cv: float | None) -> Balance:
    return Balance(workers=4, cpu_cv=cpu_cv, cpu_max_over_mean=1, connections_cv=cpu_cv, connections_max_over_mean=1)


def analyse(
    rates: Mapping[str, Sequence[float | None]],
    extra: Sequence[TrialSummary] = (),
    checks: Sequence[CheckResult] = (),
    **options: float,
) -> RunAnalysis:
    """``rates``: requests/s of each arm by block; ``None`` leaves the trial out."""
    trials = [
        summary(arm, block, rate)
        for arm, of_arm in rates.items()
        for block, rate in enumerate(of_arm, start=1)
        if rate is not None
    ]
    blocks = max(len(of_arm) for of_arm in rates.values())
    plan = PlanFacts(blocks=blocks, measure_s=10, warmup_s=2, trials_planned=blocks * len(rates))
    arms = [arm for arm in ARMS if arm.key in rates]
    pairs = [(trial, list(checks)) for trial in [*trials, *extra]]
    return analyse_run(arms, "on", pairs, plan, **options)


def arm_of(analysis: RunAnalysis, key: str) -> ArmAnalysis:
    return next(arm for arm in analysis.arms if arm.key == key)


def metric_of(analysis: RunAnalysis, arm: str, metric: str = "requests_per_s") -> ArmMetric:
    return next(one for one in arm_of(analysis, arm).metrics if one.metric == metric)


def said(analysis: RunAnalysis, arm: str, metric: str = "requests_per_s") -> VerdictSentence:
    return next(one for one in analysis.sentences if (one.arm, one.metric) == (arm, metric))


def test_ratio_is_paired_by_block() -> None:
    """Blocks differ tenfold, the ratio hardly: only pairing sees it. t(0.975, 4) = 2.776445 from tables."""
    base, ratios = [100, 1000, 300, 500, 200], [7.0, 7.2, 7.4, 7.6, 7.8]
    analysis = analyse({"on": base, "rp": [b * r for b, r in zip(base, ratios, strict=True)]})
    logs = [math.log(ratio) for ratio in ratios]
    mean = sum(logs) / 5
    half = 2.776445 * math.sqrt(sum((x - mean) ** 2 for x in logs) / 4) / math.sqrt(5)
    comparison = metric_of(analysis, "rp").comparison
    assert comparison is not None
    assert comparison.estimate == pytest.approx(math.exp(mean))
    assert comparison.ci_low == pytest.approx(math.exp(mean - half), rel=1e-6)
    assert comparison.ci_high == pytest.approx(math.exp(mean + half), rel=1e-6)
    assert comparison.verdict == "better"
    assert (comparison.text, comparison.ci_text) == ("7.4x", "7.0x to 7.8x")
    assert said(analysis, "rp").text == (
        "`reuseport` served 7.4x more requests/s than `mutex on` (95 % CI 7.0x to 7.8x, n = 5 pairs)."
    )
    assert not analysis.preview
    assert not analysis.partial


def test_small_changes_are_said_in_percent() -> None:
    analysis = analyse({"on": [100.0] * 4, "rp": [111, 112, 113, 112], "off": [80, 81, 79, 80]})
    assert "served 12 % more requests/s" in said(analysis, "rp").text
    assert "served 20 % fewer requests/s" in said(analysis, "off").text
    assert said(analysis, "off").verdict == "worse"


def test_equal_arms_are_equivalent() -> None:
    analysis = analyse({"on": [100, 101, 99, 100, 100], "rp": [100.2, 100.9, 99.1, 100.1, 99.8]})
    assert said(analysis, "rp").verdict == "equivalent"
    assert said(analysis, "rp").text.startswith("`reuseport` and `mutex on` are equivalent in requests/s within ±2 %")


def test_an_interval_across_the_margin_claims_nothing() -> None:
    analysis = analyse({"on": [100.0] * 5, "rp": [96, 105, 103, 99, 104]})
    sentence = said(analysis, "rp")
    assert sentence.verdict == "inconclusive"
    assert sentence.text.startswith("No conclusion on requests/s of `reuseport`: ")
    comparison = metric_of(analysis, "rp").comparison
    assert comparison is not None
    assert f"about {comparison.more_blocks} more pairs needed to resolve 2 %" in sentence.text
    for claim in ("more requests/s", "fewer", "better"):
        assert claim not in analysis.headline


def with_figures(by_arm: Mapping[str, Sequence[float | None]], key: str) -> RunAnalysis:
    """Two arms at the same rate that differ in one figure; ``None``: not known."""
    trials = [
        summary(arm, block, 100.0, figures={} if value is None else {key: value})
        for arm, values in by_arm.items()
        for block, value in enumerate(values, start=1)
    ]
    return analyse({arm: [] for arm in by_arm}, trials)


def test_what_is_neither_good_nor_bad_is_higher_or_lower() -> None:
    analysis = with_figures({"on": [4, 4.2, 3.8, 4], "rp": [60, 61, 62, 61]}, "iowait_percent")
    sentence = said(analysis, "rp", "iowait_percent")
    assert sentence.verdict == "higher"
    assert sentence.text.startswith("`reuseport`: iowait higher than with `mutex on`: 61.0 against 4.00 %, +57.0 (95 %")
    assert "iowait" not in analysis.headline
    for judgement in ("better", "worse", "good", "bad"):
        assert judgement not in sentence.text


def test_a_figure_may_be_zero_in_one_arm() -> None:
    analysis = with_figures({"on": [102_887, 102_880, 102_890], "rp": [0, 0, 0]}, "disk_written_bytes_per_request")
    comparison = metric_of(analysis, "rp", "disk_written_bytes_per_request").comparison
    assert comparison is not None
    assert (comparison.verdict, comparison.text) == ("lower", "-102,886")


def test_a_ratio_without_direction_is_higher_or_lower_too() -> None:
    analysis = with_figures({"on": [100, 101, 102], "rp": [80, 81, 82]}, "request_time_p99_ms")
    text = said(analysis, "rp", "request_time_p99_ms").text
    assert text.startswith("`reuseport`: p99 of request time by nginx lower than with `mutex on`, -20 % (95 % CI")


def test_figures_within_their_own_margin_are_equivalent() -> None:
    analysis = with_figures({"on": [10, 10.1, 10.2], "rp": [10.2, 10.3, 10.4]}, "iowait_percent")
    assert "equivalent in iowait within ±1 points" in said(analysis, "rp", "iowait_percent").text


def test_metrics_that_no_trial_has_are_left_out() -> None:
    without = {metric.key for metric in with_figures({"on": [None], "rp": [None]}, "load1").metrics}
    assert "upstream_time_p99_ms" not in without
    assert "latency_p99_us" in without
    partly = with_figures({"on": [None, None], "rp": [20, 30]}, "upstream_time_p99_ms")
    assert metric_of(partly, "rp", "upstream_time_p99_ms").no_comparison_reason is not None


def test_hopeless_noise_is_called_so() -> None:
    text = said(analyse({"on": [100.0] * 3, "rp": [10, 100, 1000]}), "rp").text
    assert text.endswith("1,000 more pairs would not resolve 2 %: too much noise.")


def test_an_interval_narrower_than_the_margin_may_still_lie_across_it() -> None:
    text = said(analyse({"on": [100.0] * 3, "rp": [101.9, 102.0, 102.1]}), "rp").text
    assert text.endswith("which lies across the margin of 2 %.")


def test_a_noisy_host_widens_the_margin() -> None:
    rates: dict[str, list[float | None]] = {"on": [100.0] * 4, "rp": [104, 103.9, 104.1, 104]}
    assert said(analyse(rates), "rp").verdict == "better"
    assert said(analyse(rates, margin=0.05), "rp").verdict == "equivalent"


def test_one_block_has_no_interval_and_makes_no_claim() -> None:
    analysis = analyse({"on": [100], "rp": [900]})
    comparison = metric_of(analysis, "rp").comparison
    assert comparison is not None
    assert (comparison.verdict, comparison.ci_low, comparison.ci_text) == ("inconclusive", None, None)
    assert "a single pair (9.0x) has no interval" in analysis.headline
    assert analysis.preview


def test_three_blocks_are_a_preview() -> None:
    analysis = analyse({"on": [100.0] * 3, "rp": [150, 151, 149]})
    assert analysis.preview
    assert "Preview only: 3 complete blocks." in analysis.headline


def test_a_zero_gives_no_ratio_but_a_reason() -> None:
    analysis = analyse({"on": [100.0] * 3, "rp": [150, 0, 149]})
    metric = metric_of(analysis, "rp")
    assert metric.comparison is None
    assert metric.no_comparison_reason == "this arm is zero in at least one block: no ratio"
    assert metric.mean_kind == "arithmetic"
    assert "No comparison of `reuseport` in requests/s" in analysis.headline


def test_a_cancelled_run_uses_what_is_there() -> None:
    analysis = analyse({"on": [100, 100, None], "rp": [120, 121, 119], "off": [None, None, None]})
    comparison = metric_of(analysis, "rp").comparison
    assert comparison is not None
    assert comparison.pairs == 2
    assert analysis.partial
    assert analysis.blocks_complete == 0
    assert metric_of(analysis, "off").no_comparison_reason == "this arm has no usable trial with this figure"
    assert arm_of(analysis, "off").distribution == []
    assert "Partial: 5 of 9 trials are usable." in analysis.headline


def test_no_trial_at_all() -> None:
    analysis = analyse({"on": [None], "rp": [None]})
    assert [arm.usable_trials for arm in analysis.arms] == [0, 0]
    assert said(analysis, "rp").verdict is None
    assert metric_of(analysis, "rp").no_comparison_reason == "this arm has no usable trial with this figure"
    assert analysis.checks.made == 0
    assert analysis.checks.text == "no check could be made"


def test_failed_trials_and_earlier_attempts_stay_out() -> None:
    failed = summary("rp", 3, 9999, usable=False, state="failed")
    again = summary("rp", 1, 120, attempt=2)
    analysis = analyse({"on": [100.0] * 3, "rp": [999, 120, None]}, extra=[failed, again])
    assert [value.value for value in metric_of(analysis, "rp").values] == [120, 120]
    assert arm_of(analysis, "rp").trials == 4
    assert arm_of(analysis, "rp").usable_trials == 2


def test_balance_is_compared_by_difference_even_from_zero() -> None:
    evenly = [summary("on", block, 100, balance=balance(0.0)) for block in (1, 2, 3)]
    piled = [summary("rp", block, 100, balance=balance(cv)) for block, cv in ((1, 1.70), (2, 1.73), (3, 1.72))]
    analysis = analyse({"on": [None] * 3, "rp": [None] * 3}, extra=[*evenly, *piled])
    comparison = metric_of(analysis, "rp", "worker_cpu_cv").comparison
    assert comparison is not None
    assert comparison.scale == "difference"
    assert comparison.estimate == pytest.approx((1.70 + 1.73 + 1.72) / 3)
    assert comparison.verdict == "worse"
    sentence = "The workers of `reuseport` shared CPU less evenly than those of `mutex on`: CV 1.72 against 0.00, +1.72"
    assert sentence in analysis.headline


def test_shares_are_averaged_by_rank_not_by_number() -> None:
    def workers(*shares: float) -> list[WorkerSummary]:
        return [
            WorkerSummary(index=n, cpu_s=share, cpu_percent=share, cpu_share_percent=share, connections=share)
            for n, share in enumerate(shares, start=1)
        ]

    trials = [summary("on", 1, 100, workers=workers(90, 10)), summary("on", 2, 100, workers=workers(20, 80))]
    ranked = arm_of(analyse({"on": [None, None], "rp": [100]}, extra=trials), "on").balance
    assert ranked is not None
    assert [(share.rank, share.cpu_share_percent) for share in ranked.workers] == [(1, 85), (2, 15)]
    assert [share.connections_share_percent for share in ranked.workers] == [85, 15]


def test_distribution_of_an_arm_is_that_of_its_pooled_trials() -> None:
    fast = summary("on", 1, 100, latency_histogram=builders.histogram([100] * 75))
    slow = summary("on", 2, 100, latency_histogram=builders.histogram([2000] * 25))
    arm = arm_of(analyse({"on": [None, None], "rp": [100]}, extra=[fast, slow]), "on")
    assert arm.latency is not None
    assert arm.latency.count == 100
    assert [(round(p.value_ms, 2), p.fraction) for p in arm.distribution] == [(0.1, 0.75), (2.0, 1.0)]


def check(key: str, severity: CheckSeverity, number: int = 1) -> CheckResult:
    mend = None if severity == "pass" else "mend it"
    return CheckResult(
        number=number, key=key, severity=severity, title=key, message=f"{key} seen", mend=mend, trial_ids=[]
    )


def test_checks_are_counted_without_those_that_could_not_be_made() -> None:
    checks = [
        check("a", "pass"),
        check("b", "info", 2),
        check("shared-cores", "warning", 3),
        check("d", "unavailable", 4),
    ]
    analysis = analyse({"on": [100.0] * 2, "rp": [100.0] * 2}, checks=checks)
    # Two more compare the trials of the run: environment and access_log.
    assert (analysis.checks.passed, analysis.checks.made, analysis.checks.unavailable) == (4, 5, 1)
    assert analysis.headline.endswith("Validity: 4 of 5 checks passed; warning: shared cores.")
    assert analysis.trustworthy
    warning = next(result for result in analysis.checks.results if result.key == "shared-cores")
    assert warning.message == "in 4 of 4 trials: shared-cores seen"


def test_an_error_makes_the_run_untrustworthy() -> None:
    analysis = analyse({"on": [100.0], "rp": [100.0]}, checks=[check("accounting", "error", 23)])
    assert not analysis.trustworthy
    assert analysis.headline.endswith("error: accounting.")


def test_the_worst_trial_speaks_for_a_check() -> None:
    clean = summary("on", 1, 100), [check("x", "pass")]
    unknown = summary("rp", 1, 100), [check("x", "unavailable")]
    plan = PlanFacts(blocks=1, measure_s=1, warmup_s=0, trials_planned=2)
    rolled = analyse_run(ARMS[::2], "on", [clean, unknown], plan).checks.results
    assert next(result for result in rolled if result.key == "x").severity == "unavailable"


def test_an_unknown_baseline_is_refused() -> None:
    with pytest.raises(ValueError, match="not one of the arms"):
        analyse_run(ARMS, "absent", [], PlanFacts(blocks=1, measure_s=1, warmup_s=0, trials_planned=3))


def of_streams(arm: str, block: int, **rates: tuple[float, float]) -> TrialSummary:
    """A trial with these streams: requests/s and p99 of each."""
    latency = TEMPLATE.latency
    assert latency is not None
    streams = [
        TEMPLATE.streams[0].model_copy(
            update={"stream": key, "requests_per_s": rate, "latency": latency.model_copy(update={"p99_us": p99})}
        )
        for key, (rate, p99) in rates.items()
    ]
    return summary(arm, block, sum(rate for rate, _ in rates.values()), streams=streams)


def test_each_of_several_streams_is_compared() -> None:
    """The whole hardly moves, as random hides what constant gains."""
    trials = [
        trial
        for block, noise in ((1, 0.99), (2, 1.0), (3, 1.01), (4, 1.0))
        for trial in (
            of_streams("on", block, random=(1000, 5000), constant=(8, 9000)),
            of_streams("rp", block, random=(1000 * noise, 5000), constant=(250 * noise, 900)),
        )
    ]
    analysis = analyse({"on": [None] * 4, "rp": [None] * 4}, extra=trials)
    streams = arm_of(analysis, "rp").streams
    assert [stream.stream for stream in streams] == ["random", "constant"]
    assert [metric.metric for metric in streams[0].metrics] == ["requests_per_s", "latency_p50_us", "latency_p99_us"]
    constant = streams[1].metrics[0].comparison
    assert constant is not None
    assert constant.estimate == pytest.approx(250 / 8, rel=1e-3)
    assert [value.value for value in streams[1].metrics[0].values] == [250 * 0.99, 250, 250 * 1.01, 250]
    assert all(metric.comparison is None for metric in arm_of(analysis, "on").streams[0].metrics)
    assert "`reuseport` served 31.2x more requests/s on stream `constant` than `mutex on`" in analysis.headline
    assert "`reuseport`: p99 on stream `constant` fell 90 % against `mutex on`" in analysis.headline
    assert "on stream `random`" not in analysis.headline
    equivalent = next(
        one for one in analysis.stream_sentences if (one.stream, one.metric) == ("random", "requests_per_s")
    )
    assert equivalent.verdict == "equivalent"
    assert all(one.stream is None for one in analysis.sentences)


def test_a_single_stream_is_the_whole() -> None:
    analysis = analyse({"on": [100.0] * 2, "rp": [130, 131]})
    assert arm_of(analysis, "rp").streams == []
    assert analysis.stream_sentences == []


def test_a_matrix_of_factors_has_effects() -> None:
    arms = [
        ArmInfo(key=f"{a}.{b}", label=f"{a}.{b}", levels={"aio": a, "cache": b}) for a in ("off", "on") for b in "ch"
    ]
    trials = [
        summary(arm.key, block, 100.0 * block * (2 if arm.levels["aio"] == "on" else 1) * jitter)
        for arm in arms
        for block, jitter in ((1, 1.0), (2, 1.01 if arm.key == "on.h" else 1.0), (3, 0.99))
    ]
    plan = PlanFacts(blocks=3, measure_s=10, warmup_s=2, trials_planned=12)
    analysis = analyse_run(arms, "off.c", [(trial, []) for trial in trials], plan)
    aio = next(one for one in analysis.factor_effects if (one.metric, one.factor) == ("requests_per_s", "aio"))
    assert (aio.level, aio.reference, aio.significant) == ("on", "off", True)
    assert aio.ratio == pytest.approx(2, rel=0.01)
    assert {one.factors for one in analysis.factor_interactions} == {("aio", "cache")}
    assert analyse({"on": [100.0] * 2, "rp": [130, 131]}).factor_effects_reason == (
        "the arms vary in fewer than two factors"
    )


def test_an_analysis_stored_before_there_were_streams_and_factors_still_reads() -> None:
    analysis = analyse({"on": [100.0] * 2, "rp": [130, 131]})
    stored = analysis.model_dump(
        mode="json", exclude={"stream_sentences", "factor_effects", "factor_interactions", "factor_effects_reason"}
    )
    for arm in stored["arms"]:
        del arm["streams"]
    assert RunAnalysis.model_validate(stored).factor_effects == []


def test_the_result_survives_json() -> None:
    analysis = analyse({"on": [100.0] * 2, "rp": [130, 131]})
    assert RunAnalysis.model_validate_json(analysis.model_dump_json()) == analysis
