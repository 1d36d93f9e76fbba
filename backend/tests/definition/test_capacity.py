"""What a definition may say of a search for the capacity, and what hosts are told of it."""

from typing import Any

import pytest
from definition.definitions import sound
from ngxlab.definition.loads import shape_of, why_not_comparable
from ngxlab.definition.preview.definition import preview_of
from ngxlab.definition.resolve import resolve
from ngxlab.definition.validation import validate
from ngxlab.templates.primary import default_metrics
from ngxlab_contracts.protocol import needed
from ngxlab_contracts.streams import CapacityGoal, CapacitySpec, CurveSpec, OpenLoopSpec, StreamSpec

SEARCH = {"goal": {"p99_ms": 50, "errors_percent": 0.1}, "from_per_s": 500, "to_per_s": 20_000}

STOP = {"kind": "precision", "metric": "latency_p99_us", "half_width_percent": 5, "max_blocks": 9}


def searching(plan: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """One stream that searches. ``changes``: of that stream."""
    stream = {"key": "load", "engine": "open-loop", "connections": 32, "open_loop": {"capacity": SEARCH}}
    whole: dict[str, Any] = sound()
    whole["streams"] = [stream | changes]
    whole |= {"thresholds": [], "perturbations": [], "placement": "none"}
    whole["plan"] = {"blocks": 5, "warmup_s": 2, "measure_s": 30} | (plan or {})
    return whole


def problems(raw: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one.field, one.message) for one in validate(raw).problems]


def warned(raw: dict[str, Any]) -> list[tuple[str, str]]:
    assert problems(raw) == []
    return [(one.field, one.message) for one in validate(raw).warnings if one.field.startswith("streams")]


def test_hosts_are_told_of_the_search_and_older_agents_are_not_asked() -> None:
    validated = validate(searching())
    assert validated.problems == []
    assert validated.definition is not None
    (stream,) = resolve(validated.definition, validated.definition.arms[0]).streams
    assert stream.searches_for == CapacitySpec(
        goal=CapacityGoal(p99_ms=50, errors_percent=0.1), from_per_s=500, to_per_s=20_000
    )
    assert stream.planned_rate_per_s == 20_000
    assert stream.planned_steps == []
    assert str(needed(stream)) == "2.3"
    assert default_metrics(validated.definition) == ("capacity_per_s",)


def test_the_rates_and_the_goal_may_differ_between_arms() -> None:
    raw = searching(open_loop={"capacity": SEARCH | {"to_per_s": "{{ connections * 100 }}"}})
    definition = validate(raw).definition
    assert definition is not None
    found = {arm.key: resolve(definition, arm).streams[0].planned_rate_per_s for arm in definition.arms}
    assert len(set(found.values())) > 1
    raw = searching(open_loop={"capacity": SEARCH | {"goal": {"p99_ms": "{{ connections }}"}}})
    assert problems(raw) == []


@pytest.mark.parametrize(
    ("raw", "field", "said"),
    [
        (searching(probe=True), "streams.0.probe", "cannot search"),
        (searching(duration_s=10), "streams.0.duration_s", "the whole measured window"),
        (searching(start_offset_s=5), "streams.0.start_offset_s", "after the warm-up of 2 s"),
        (searching({"measure_s": 5}), "plan.measure_s", "needs 10 s"),
        (searching({"primary": ["requests_per_s"]}), "plan.primary.0", "choose capacity_per_s"),
        (
            searching({"stop": STOP}),
            "plan.stop.metric",
            "choose capacity_per_s",
        ),
        (searching() | {"thresholds": ["p99_ms < 20"]}, "thresholds.0", "bound capacity_per_s"),
        (sound() | {"thresholds": ["capacity_per_s > 9000"]}, "thresholds.0", "no stream searches"),
        (searching(engine="wrk", threads=1), "streams.0.open_loop", "belongs to engine open-loop"),
    ],
)  # fmt: skip
def test_what_a_search_cannot_be(raw: dict[str, Any], field: str, said: str) -> None:
    assert [message for where, message in problems(raw) if where == field and said in message]


def test_a_trial_has_one_search() -> None:
    raw = searching()
    raw["streams"].append(raw["streams"][0] | {"key": "second"})
    assert problems(raw) == [
        ("streams.1.open_loop.capacity", "stream load already tries rates: a trial has one such stream at most")
    ]


def test_a_threshold_may_bound_the_capacity() -> None:
    assert problems(searching() | {"thresholds": ["capacity_per_s > 9000", "capacity_per_s ratio > 0.98"]}) == []


def test_other_load_and_rates_that_are_too_low_for_the_percentile_are_warned_of() -> None:
    assert warned(searching()) == []
    raw = searching()
    raw["streams"].append({"key": "others", "engine": "wrk", "threads": 1, "connections": 4})
    ((field, message),) = warned(raw)
    assert (field, "beside the load of others" in message) == ("streams.0.open_loop.capacity", True)
    ((field, message),) = warned(searching(open_loop={"capacity": SEARCH | {"from_per_s": 100}}))
    assert field == "streams.0.open_loop.capacity.from_per_s"
    assert message.startswith("at 100/s, a step of 3.75 s has too few responses")
    assert "begin at 267/s or more" in message
    assert warned(searching(open_loop={"capacity": SEARCH | {"from_per_s": 100, "goal": {"errors_percent": 1}}})) == []


CURVE = {"from_per_s": 500, "to_per_s": 5000, "rates": 10}


def curving(plan: dict[str, Any] | None = None, curve: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    return searching(plan, **{"open_loop": {"curve": CURVE | (curve or {})}} | changes)


def test_hosts_get_the_rates_of_a_curve_one_by_one() -> None:
    validated = validate(curving())
    assert validated.problems == []
    assert validated.definition is not None
    (stream,) = resolve(validated.definition, validated.definition.arms[0]).streams
    assert stream.draws_curve == CurveSpec(rates_per_s=[500.0 * number for number in range(1, 11)], order="random")
    assert (stream.planned_rate_per_s, stream.planned_steps, stream.searches_for) == (5000, [], None)
    assert str(needed(stream)) == "2.3"
    assert default_metrics(validated.definition) == ("plateau_per_s",)
    assert [shape.rate for shape in shape_of([stream])] == ["500 to 5000/s in 10 rates"]
    by_factor = validate(curving(curve={"rates": 4, "spacing": "factor", "to_per_s": 4000})).definition
    assert by_factor is not None
    (stream,) = resolve(by_factor, by_factor.arms[0]).streams
    assert stream.draws_curve is not None
    assert stream.draws_curve.rates_per_s == [500, 1000, 2000, 4000]


@pytest.mark.parametrize(
    ("raw", "field", "said"),
    [
        (curving(probe=True), "streams.0.probe", "cannot draw a curve"),
        (curving({"measure_s": 5}), "plan.measure_s", "10 rates need 10 s, better 40 s"),
        (curving(curve={"to_per_s": 400}), "streams.0.open_loop.curve.to_per_s", "not more than the 500"),
        (curving(curve={"rates": 2}), "streams.0.open_loop.curve.rates", "3"),
        (curving({"primary": ["capacity_per_s"]}), "plan.primary.0", "no stream searches"),
        (curving({"primary": ["latency_p99_us"]}), "plan.primary.0", "choose plateau_per_s"),
        (curving() | {"thresholds": ["p99_ms < 20"]}, "thresholds.0", "bound plateau_per_s"),
        (searching() | {"thresholds": ["plateau_per_s > 9000"]}, "thresholds.0", "no stream draws a curve"),
        (
            searching(open_loop={"capacity": SEARCH, "curve": CURVE}),
            "streams.0.open_loop.rate_per_s",
            "one of rate_per_s, steps, capacity, curve and replay",
        ),
    ],
)
def test_what_a_curve_cannot_be(raw: dict[str, Any], field: str, said: str) -> None:
    assert [message for where, message in problems(raw) if where == field and said in message], problems(raw)


def test_a_threshold_may_bound_the_plateau() -> None:
    assert problems(curving() | {"thresholds": ["plateau_per_s > 9000", "plateau_per_s ratio > 0.98"]}) == []


def test_capacities_at_different_goals_are_not_compared() -> None:
    def stream(p99_ms: float, to_per_s: float = 9_000) -> StreamSpec:
        wanted = CapacitySpec(goal=CapacityGoal(p99_ms=p99_ms), from_per_s=100, to_per_s=to_per_s)
        plan = OpenLoopSpec(steps=[], capacity=wanted)
        return StreamSpec(key="main", engine="open-loop", threads=2, connections=100, open_loop=plan)

    assert why_not_comparable(shape_of([stream(50)]), shape_of([stream(50, 12_000)])) is None
    said = why_not_comparable(shape_of([stream(20)]), shape_of([stream(50)]))
    assert said is not None
    assert "at p99 ≤ 20 ms instead of" in said


def curve_told(curve: dict[str, Any], **changes: Any) -> StreamSpec:
    raw = searching(open_loop={"curve": curve}, **changes)
    assert problems(raw) == []
    definition = validate(raw).definition
    assert definition is not None
    return resolve(definition, definition.arms[0]).streams[0]


def test_a_curve_of_a_list_of_rates_or_of_percents() -> None:
    listed = curve_told({"rates_per_s": [100, 1000, 300]}).draws_curve
    assert listed == CurveSpec(rates_per_s=[100, 1000, 300])
    shares = curve_told({"percents": [50, 90, 110], "of_per_s": 1234}).draws_curve
    assert shares == CurveSpec(rates_per_s=[617, 1110.6, 1357.4])


def test_a_curve_of_connections_is_a_closed_loop_that_older_agents_are_not_asked_for() -> None:
    stream = curve_told({"connections": [1, 2, 8, 32]})
    assert stream.draws_curve == CurveSpec(connections=[1, 2, 8, 32])
    assert (stream.loop, stream.planned_rate_per_s, str(needed(stream))) == ("closed", 0, "2.6")
    assert "1 to 32 connections in 4 numbers" in str(shape_of([stream])[0].rate)
    assert str(needed(curve_told({"rates_per_s": [1, 2, 3]}))) == "2.3"
    assert curve_told({"connections": [1, 2, 500]}, connections="{{ connections }}").connections == 500


@pytest.mark.parametrize(
    ("curve", "field", "said"),
    [
        ({}, "open_loop.curve.from_per_s", "has no points: give from_per_s and to_per_s"),
        ({"connections": [], "of_per_s": 1000}, "open_loop.curve.from_per_s", "has no points"),
        ({"connections": [1, 2, 3], "rates": 8}, "open_loop.curve.rates", "rates is of a range of rates"),
        ({"rates_per_s": [1, 2, 3], "spacing": "factor"}, "open_loop.curve.spacing", "means nothing without one"),
        ({"connections": [1, 2, 3], "rates_per_s": [1, 2, 3]}, "open_loop.curve.from_per_s", "give one of"),
        ({"from_per_s": 100}, "open_loop.curve.to_per_s", "is missing"),
        ({"percents": [1, 2, 3]}, "open_loop.curve.of_per_s", "percents are of it"),
        (
            {"percents": [50, 90, 300], "of_per_s": 5_000_000},
            "open_loop.curve.percents",
            "15,000,000 requests a second",
        ),
        ({"percents": [100, 100.0001, 90], "of_per_s": 5000}, "open_loop.curve.percents", "the same rate twice"),
        ({"connections": [1, 2, 3], "of_per_s": 9}, "open_loop.curve.of_per_s", "nothing without percents"),
        ({"connections": [1, 2]}, "open_loop.curve.connections", "3 or more"),
        ({"rates_per_s": [1, 2, 2]}, "open_loop.curve.rates_per_s", "each another"),
        ({"connections": [1, 2, 33]}, "connections", "fewer than the 33 of the curve"),
    ],
)
def test_what_the_points_of_a_curve_cannot_be(curve: dict[str, Any], field: str, said: str) -> None:
    raw = searching(open_loop={"curve": curve})
    assert [(at, said in str(message)) for at, message in problems(raw)] == [(f"streams.0.{field}", True)]
    assert [one.field for one in preview_of(validate(raw)).problems] == [f"streams.0.{field}"]


def test_a_curve_of_connections_speaks_http_1_and_has_no_arrivals() -> None:
    raw = searching(protocol="http/2", open_loop={"curve": {"connections": [1, 2, 3]}, "arrivals": "poisson"})
    fields = [field for field, _ in problems(raw)]
    assert "streams.0.protocol" in fields
    assert "streams.0.open_loop.arrivals" in fields
