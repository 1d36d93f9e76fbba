"""What the dynamic-upstreams template builds, predicts and concludes."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from analysis.builders import wrk_print
from ngxlab.analysis.schemas import ErrorSummary
from ngxlab.core.errors import Invalid
from ngxlab.definition.nginx.dynamic_upstreams import upstream_spec
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition, LevelValue
from ngxlab.templates.dynamic_upstreams import TEMPLATE
from ngxlab.templates.dynamic_upstreams.model import LockModel
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.findings import findings
from ngxlab_contracts.perturbations import Every
from templates.measured import analysed, evidence, first_block, stream, varying, voided
from templates.measured import conclusion as said

BEFORE = {"churn_p50_before_us": 101_000.0, "churn_p99_before_us": 110_000.0}


def built(**values: LevelValue) -> Definition:
    return TEMPLATE.build(TEMPLATE.complete(values))


def felt(nodes: int, *, waiting_from: int, stalled_from: int, **more: float) -> Mapping[str, Any]:
    p99 = 500_000.0 if nodes >= waiting_from else 112_000.0
    p50 = 400_000.0 if nodes >= stalled_from else 103_000.0
    during = {"churn_p50_during_us": p50, "churn_p99_during_us": p99, "churn_p99_typical_us": p99}
    after = {"churn_recovery_s": 1.5 if p50 > 200_000 else 0.0, "churn_recovered": 1.0}
    return {"metric_values": {**BEFORE, **during, **after, **more}}


def measured(
    definition: Definition,
    *,
    waiting_from: int = 100,
    stalled_from: int = 300,
    factors: Sequence[float] = (0.99, 1.01, 1.0),
    **more: float,
) -> Evidence:
    """``factors``: what the latencies of a block's trials are multiplied by during the churn."""

    def figures(arm: ArmDefinition) -> Mapping[str, Any]:
        nodes = int(arm.levels.get("changed-nodes", 200))
        return felt(nodes, waiting_from=waiting_from, stalled_from=stalled_from, **more)

    found = evidence(definition, figures, noise=(1.0,) * len(factors), scatter=0)
    arms = len(definition.arms)
    during = ("churn_p50_during_us", "churn_p99_during_us", "churn_p99_typical_us")
    return varying(found, [factor for factor in factors for _ in range(arms)], *during)


def test_groups_add_up_to_all_nodes() -> None:
    definition = built()
    for arm in definition.arms:
        spec = upstream_spec(resolve(definition, arm))
        assert spec is not None
        nodes = {group.name: group.nodes for group in spec.groups}
        assert sum(nodes.values()) == 10_000
        assert nodes["service"] == 40
        assert nodes["changing"] == int(arm.levels["changed-nodes"])


def test_the_churn_lies_between_baseline_and_recovery() -> None:
    definition = built(churn_s="4, 10", changed_nodes="300", churn_interval_s="0.5", baseline_s=5, recovery_s=6)
    assert definition.plan.measure_s == 21
    found = [resolve(definition, arm).perturbations[0].when for arm in definition.arms]
    assert found == [Every(every_s=0.5, from_s=5, until_s=9), Every(every_s=0.5, from_s=5, until_s=15)]


def test_lists_of_one_are_no_factors() -> None:
    definition = built(changed_nodes="300")
    assert definition.factors == []
    assert definition.baseline == "only"


def test_the_lock_is_simulated_for_lua_only() -> None:
    assert built().nginx.upstreams is not None
    numbers = {}
    for through in ("lua", "tengine", "reload"):
        definition = built(through=through)
        upstreams = resolve(definition, definition.arms[0]).nginx.upstreams
        assert upstreams is not None
        numbers[through] = upstreams.lock_us_per_node
    assert numbers == {"lua": 25 + 22.5 * 10, "tengine": 0, "reload": 0}


def test_checks_are_compared_group_by_group() -> None:
    definition = built(through="tengine", changed_nodes="300", health_checks="compare")
    found = {}
    for arm in definition.arms:
        spec = upstream_spec(resolve(definition, arm))
        assert spec is not None
        found[arm.key] = [bool(group.health_check) for group in spec.groups]
    assert found == {"all": [True, True, True], "others": [True, False, True], "none": [False, False, False]}


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"total_nodes": "300"}, "parameters.total_nodes"),
        ({"health_checks": "all"}, "parameters.health_checks"),
        ({"connections": 49}, "parameters.connections"),
        ({"changed_nodes": "0"}, "parameters.changed_nodes"),
    ],
)
def test_what_does_not_fit_together(values: dict[str, LevelValue], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        TEMPLATE.complete(values)
    assert field in [problem.field for problem in refused.value.errors]


def test_the_threshold_is_the_read_interval_over_the_workers() -> None:
    model = LockModel.of(TEMPLATE.complete({}), {"changed_nodes": 300})
    assert model.threshold_ms == 62.5
    assert model.update_ms == 75
    assert model.threshold_nodes == 250
    assert model.is_beyond
    assert not LockModel.of(TEMPLATE.complete({}), {"changed_nodes": 200}).is_beyond
    assert LockModel.of(TEMPLATE.complete({"lock_us": 0, "lock_check_us": 0}), {}).threshold_nodes is None


@pytest.mark.parametrize(
    ("stalled_from", "words"),
    [
        (300, "All arms agree with it."),
        (
            200,
            "It does not hold with `200 changed nodes` (update 50 ms, threshold 62.5 ms): within it, and the median at",
        ),
        (
            350,
            "It does not hold with `300 changed nodes` (update 75 ms, threshold 62.5 ms): beyond it, and the median le",
        ),
        (
            1000,
            "hold with `300 changed nodes` (update 75 ms, threshold 62.5 ms), `350 changed nodes` (update 87.5 ms, th",
        ),
    ],
)
def test_what_was_decided_stands_beside_the_rule(stalled_from: int, words: str) -> None:
    text = said(measured(built(), stalled_from=stalled_from))
    doubled = "`100 changed nodes`, `200 changed nodes`, `300 changed nodes`, `350 changed nodes`"
    first = "p99 of a typical second of the churn against that before it"
    assert f"Exploratory: {first}: at least doubled with {doubled}; less than doubled with `1 changed node`" in text
    assert "The article's rule (simulated lock) puts the threshold at 250 changed nodes." in text
    assert words in text
    assert "is simulated here" in text


def test_latencies_that_vary_leave_it_undecided_whatever_their_means() -> None:
    text = said(measured(built(), factors=(0.2, 3.0, 1.0)))
    assert "at least doubled" not in text
    assert "less than doubled" not in text
    assert "Nothing decided contradicts it." in text
    assert "agree" not in text


def test_one_block_decides_nothing() -> None:
    text = said(first_block(measured(built())))
    assert "doubled" not in text
    assert "agree" not in text
    assert "undecided with `1 changed node`, `100 changed nodes`" in text


def test_a_check_that_voids_latency_leaves_nothing_to_say_of_it() -> None:
    text = said(voided(measured(built()), "latency"))
    assert text.startswith("No conclusion on latency: broken")
    for word in ("doubled", "median", "p99", "rule", "does not answer"):
        assert word not in text


def test_a_run_without_data_concludes_nothing() -> None:
    assert said(analysed(built(), [])) == "No conclusion: the run has no usable trial."


def test_a_sweep_may_not_reach_the_threshold() -> None:
    text = said(measured(built(changed_nodes="1, 100, 200"), waiting_from=999, stalled_from=999))
    assert "puts the threshold at 250 changed nodes, which no arm exceeds. All arms agree with it." in text
    assert "at least doubled" not in text


def test_without_a_simulated_lock_nothing_is_predicted() -> None:
    found = measured(built(through="reload"))
    assert "threshold" not in said(found)
    assert TEMPLATE.labels(found) == []
    assert "update of a Tengine" in said(measured(built(through="tengine")))


def test_the_simulated_lock_is_labelled() -> None:
    assert [label.key for label in TEMPLATE.labels(measured(built()))] == ["simulated"]


def test_recovery_and_calls_are_told() -> None:
    text = said(measured(built(), churn_calls_failed=2.0, churn_calls_skipped=0.0))
    assert "In 15 trials, p99 returned to its usual range within 1.50 s at most" in text
    assert "Churn calls that failed: 6 in 3 trials with `1 changed node`" in text
    assert "skipped" not in text


def test_lost_requests_are_told() -> None:
    definition = built(through="reload", changed_nodes="1, 100")
    lost = ErrorSummary(connect=0, read=300, write=0, timeout=0, status=0, share_percent=300.0)
    none = ErrorSummary(connect=0, read=0, write=0, timeout=0, status=0, share_percent=0.0)

    def figures(arm: ArmDefinition) -> Mapping[str, Any]:
        streams = [
            stream("requests", 10).model_copy(update={"errors": lost, "printed": wrk_print(100)}),
            stream("others", 960).model_copy(update={"errors": none, "printed": wrk_print(9600)}),
            stream("probe", 1).model_copy(update={"errors": lost, "printed": wrk_print(0), "probe": True}),
        ]
        return {**felt(1, waiting_from=1, stalled_from=9), "streams": streams}

    text = said(evidence(definition, figures, scatter=0))
    shares = "3 % (n = 3 trials, no interval)"
    assert f"Share of requests that failed: {shares} with `1 changed node`, {shares} with `100 changed nodes`." in text


def test_the_longest_recovery_is_that_of_a_single_trial() -> None:
    times = iter([1.0, 4.0, 2.0] * 5)

    def figures(arm: ArmDefinition) -> Mapping[str, Any]:
        return felt(200, waiting_from=100, stalled_from=300, churn_recovery_s=next(times))

    text = said(evidence(built(), figures, scatter=0))
    assert "In 15 trials, p99 returned to its usual range within 4.00 s at most" in text
    assert "did not return" not in text


def test_who_does_not_recover_is_named() -> None:
    recovered = measured(built(changed_nodes="1, 100"))
    trials = [
        one.model_copy(update={"metric_values": one.metric_values | {"churn_recovered": float(one.block > 1)}})
        for one in recovered.trials
    ]
    text = said(analysed(recovered.definition, trials))
    assert "In 1 of 3 trials with `1 changed node`, it did not return within the window." in text


def test_other_sweeps_are_held_against_their_own_prediction() -> None:
    text = said(measured(built(changed_nodes="200", workers="4, 32"), stalled_from=999))
    assert (
        "hold with `32 workers` (update 50 ms, threshold 31.2 ms): beyond it, and the median less than doubled" in text
    )


def test_charts_mark_the_predicted_threshold() -> None:
    drawn = {chart.key: chart for chart in findings(TEMPLATE, measured(built())).charts}
    chart = drawn["p99-during-by-nodes"]
    assert chart.kind == "line"
    assert [(mark.at, mark.simulated) for mark in chart.marks] == [(250, True)]
    assert [point.x for point in chart.lines[0].points] == [1, 100, 200, 300, 350]
    assert "p99-during" not in drawn


def test_nothing_measured_is_said() -> None:
    found = evidence(built(), lambda _: {})
    assert "does not answer the question" in said(found)
