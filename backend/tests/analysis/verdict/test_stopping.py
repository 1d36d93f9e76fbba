"""When a run may stop adding blocks."""

import pytest
from analysis import builders
from analysis.scenario import Scenario
from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import ArmInfo, PlanFacts, RunAnalysis
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.analysis.verdict.stopping import precise_enough

TEMPLATE = summarise_trial(builders.trial(Scenario().build()))


def analysis_of(**rates: list[float]) -> RunAnalysis:
    trials = [
        TEMPLATE.model_copy(
            update={"trial_id": builders.identity(f"{arm}{n}"), "arm": arm, "block": n, "requests_per_s": rate}
        )
        for arm, values in rates.items()
        for n, rate in enumerate(values)
    ]
    arms = [ArmInfo(key=arm, label=arm) for arm in rates]
    plan = PlanFacts(blocks=4, measure_s=10, warmup_s=2, trials_planned=len(trials))
    return analyse_run(arms, arms[0].key, [(trial, []) for trial in trials], plan)


def test_the_widest_arm_decides() -> None:
    analysis = analysis_of(base=[100] * 5, calm=[119, 120, 121, 120.5, 119.5], wild=[110, 130, 120, 121, 118])
    widths = {}
    for arm in analysis.arms[1:]:
        comparison = arm.metrics[0].comparison
        assert comparison is not None
        assert comparison.ci_low is not None
        assert comparison.ci_high is not None
        widths[arm.key] = 100 * (comparison.ci_high - comparison.ci_low) / 2 / comparison.estimate
    assert widths["calm"] < 2
    assert widths["wild"] > 9
    enough, widest = precise_enough(analysis, "requests_per_s", 9)
    assert not enough
    assert widest == pytest.approx(widths["wild"])
    assert precise_enough(analysis, "requests_per_s", widths["wild"] + 0.01)[0]


def test_fewer_than_five_pairs_are_not_enough_however_close() -> None:
    rates = {"base": [100.0, 100.1, 100.2, 99.9, 100.0], "rp": [120.0, 120.2, 120.1, 119.9, 120.0]}
    assert not precise_enough(analysis_of(**{arm: own[:4] for arm, own in rates.items()}), "requests_per_s", 5)[0]
    assert precise_enough(analysis_of(**rates), "requests_per_s", 5)[0]


def test_an_unknown_interval_is_not_precise() -> None:
    one_block = analysis_of(base=[100], rp=[120])
    assert precise_enough(one_block, "requests_per_s", 100) == (False, None)
    half_known = analysis_of(base=[100, 100, 100], calm=[120, 120, 121], lost=[0, 0, 0])
    assert precise_enough(half_known, "requests_per_s", 100) == (False, None)


def test_a_difference_has_no_relative_width() -> None:
    assert precise_enough(analysis_of(base=[100, 100], rp=[120, 121]), "worker_cpu_cv", 100) == (False, None)
