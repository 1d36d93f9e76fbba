"""Which trials count in a run, and what is made of an arm of several."""

import pytest
from analysis import builders
from analysis.run_results import ARMS, analyse, arm_of, metric_of, said, summary
from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import ArmInfo, PlanFacts, RunAnalysis, WorkerSummary


def test_a_cancelled_run_uses_what_is_there() -> None:
    analysis = analyse({"on": [100, 100, None], "rp": [120, 121, 119], "off": [None, None, None]})
    comparison = metric_of(analysis, "rp").comparison
    assert comparison is not None
    assert comparison.pairs == 2
    assert analysis.partial
    assert analysis.blocks_complete == 0
    assert metric_of(analysis, "off").no_comparison_reason == "this arm has no value"
    assert arm_of(analysis, "off").distribution == []
    assert "Partial: 5 of 9 trials are usable." in analysis.headline


def test_no_trial_at_all() -> None:
    analysis = analyse({"on": [None], "rp": [None]})
    assert [arm.usable_trials for arm in analysis.arms] == [0, 0]
    assert said(analysis, "rp").verdict is None
    assert metric_of(analysis, "rp").no_comparison_reason == "the baseline has no value"
    assert analysis.checks.made == 0
    assert analysis.checks.text == "no check could be made"


def test_failed_trials_and_earlier_attempts_stay_out() -> None:
    failed = summary("rp", 3, 9999, usable=False, state="failed")
    again = summary("rp", 1, 120, attempt=2)
    analysis = analyse({"on": [100.0] * 3, "rp": [999, 120, None]}, extra=[failed, again])
    assert [value.value for value in metric_of(analysis, "rp").values] == [120, 120]
    assert arm_of(analysis, "rp").trials == 4
    assert arm_of(analysis, "rp").usable_trials == 2


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


def test_an_unknown_baseline_is_refused() -> None:
    with pytest.raises(ValueError, match="not one of the arms"):
        analyse_run(ARMS, "absent", [], PlanFacts(blocks=1, measure_s=1, warmup_s=0, trials_planned=3))


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
    assert (aio.level, aio.reference, aio.family, aio.verdict) == ("on", "off", "primary", "better")
    assert aio.ratio == pytest.approx(2, rel=0.01)
    assert {one.factors for one in analysis.factor_interactions} == {("aio", "cache")}
    assert analyse({"on": [100.0] * 2, "rp": [130, 131]}).factor_effects_reason == (
        "the arms differ in fewer than two factors"
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
