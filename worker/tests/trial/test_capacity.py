"""Searches for the capacity of a real nginx whose capacity is known, and curves of it, as whole trials.

How close an estimate comes depends on what else the machine does, and `python -m scripts.capacity` counts it. What must
hold whatever the machine does is held here: each request belongs to one step, and what cannot be met is not.
"""

from typing import Any, Literal

import pytest
from ngxlab_contracts.streams import CapacityGoal, CapacitySpec, CurveSpec, OpenLoopSpec
from ngxlab_contracts.telemetry import CapacityFound, CapacityStep, CurveStep, TriedRate
from ngxlab_contracts.trials import Responder, TrialSpec, UpstreamServerSpec
from ngxlab_worker.agent.agent import Agent
from tests.support.fake_backend import FakeBackend
from tests.support.records import TrialRecord
from tests.support.served import TLS_CONFIG
from tests.support.specs import CONFIG, NGINX, PROXY_CONFIG, trial_spec
from tests.support.streams import open_loop
from tests.support.trials import assert_completed, assert_nothing_left, nginx_total, result_of, when

ANSWERS = 'location / { return 200 "OK\\n"; }'
BURST = 20
LIMITED = CONFIG.replace("    server {", "    limit_req_zone $server_port zone=all:1m rate=1000r/s;\n    server {", 1)
LIMITED = LIMITED.replace(ANSWERS, f"limit_req zone=all burst={BURST} nodelay; location / {{ try_files /none @ok; }}")
LIMITED = LIMITED.replace("@ok; }", '@ok; } location @ok { return 200 "OK\\n"; }')

CONNECTIONS, DELAY_MS, GOAL_MS = 5, 40, 60
"""The goal leaves little room for a queue: a step of half a second passes no rate beyond 1.2 times what is known."""
PASSED = PROXY_CONFIG.replace(
    'proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection "";',
    "fastcgi_pass app; fastcgi_keep_conn on; fastcgi_param SCRIPT_NAME $uri;",
).replace("proxy_ignore_headers", "fastcgi_ignore_headers")
SLOW = UpstreamServerSpec(
    key="app", binary=NGINX, config="", instances=1, protocol="fastcgi", responder=Responder(delay_ms=DELAY_MS)
)


def searching(spec: TrialSpec, from_per_s: float, to_per_s: float, goal: CapacityGoal, **stream: Any) -> TrialSpec:
    capacity = CapacitySpec(goal=goal, from_per_s=from_per_s, to_per_s=to_per_s)
    plan = OpenLoopSpec(steps=[], capacity=capacity)
    return spec.model_copy(update={"streams": [open_loop(open_loop=plan, **stream)]})


def passing(measure_s: float) -> TrialSpec:
    """To an upstream server that takes its time."""
    spec = trial_spec(warmup_s=0.3, measure_s=measure_s)
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"config": PASSED, "upstream_servers": ["upstream.app"]})
    return spec.model_copy(update={"nginx": nginx, "upstream_servers": [SLOW]})


def steps_of(record: TrialRecord) -> list[CapacityStep]:
    return [event for event in record.events if isinstance(event, CapacityStep)]


def found_of(record: TrialRecord) -> CapacityFound:
    (found,) = [event for event in record.events if isinstance(event, CapacityFound)]
    return found


def seconds(step: TriedRate) -> float:
    return (step.t_us - step.begun_us) / 1e6


def assert_exact(record: TrialRecord) -> None:
    """Every request belongs to one step, or to none; steps follow each other within the window."""
    steps = [event for event in record.events if isinstance(event, TriedRate)]
    totals = result_of(record).totals
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    for step in steps:
        assert step.due == step.served + step.failed
        assert step.due == pytest.approx(step.per_s * seconds(step), abs=1.01)
    within = [edge for step in steps for edge in (step.begun_us, step.t_us)]
    edges = [record.phases["measure"], *within, record.phases["cooldown"]]
    assert edges == sorted(edges)
    assert totals is not None
    assert totals.intended is not None
    assert sum(step.due for step in steps) < totals.intended


def test_a_limit_of_requests(namespaced: Agent, backend: FakeBackend) -> None:
    spec = trial_spec(warmup_s=0.3, measure_s=10, config=LIMITED)
    record = backend.add(searching(spec, 200, 8000, CapacityGoal(errors_percent=0.1), connections=50))
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    assert_exact(record)
    for step in steps_of(record):
        late_s = 0.1  # the last requests may be sent late, and nginx then has had more time
        assert step.failed >= (step.per_s - 1000) * seconds(step) - BURST - 2 - 1000 * late_s
        assert step.result != "met" or step.failed <= max(1, 0.001 * step.due)
        assert step.reason or step.result == "met"
    found, results = found_of(record), {step.result for step in steps_of(record)}
    assert (found.met_per_s or 0) <= 1100
    assert "missed" in results
    undisturbed = all(step.result == "met" for step in steps_of(record) if step.per_s <= 1000) and "void" not in results
    assert not undisturbed or found.capacity_per_s == pytest.approx(1000, rel=0.02)


def test_as_many_requests_as_connections_and_delay_allow(namespaced: Agent, backend: FakeBackend) -> None:
    spec = passing(6)
    record = backend.add(searching(spec, 30, 1000, CapacityGoal(p99_ms=GOAL_MS), connections=CONNECTIONS))
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    assert_exact(record)
    most_per_s = CONNECTIONS / DELAY_MS * 1000
    for step in steps_of(record):
        assert step.achieved_per_s <= most_per_s + CONNECTIONS / seconds(step)
        assert step.p50_us is None or step.p50_us >= 1000 * DELAY_MS
        # What came in the step but could not be answered in it and as long as the goal allows was late.
        late = step.due - most_per_s * (seconds(step) + GOAL_MS / 1000) - CONNECTIONS
        assert step.result == "missed" or late <= max(1, 0.01 * step.due)
    assert (found_of(record).capacity_per_s or 0) <= 1.3 * most_per_s
    assert_nothing_left(namespaced)


def test_http2_over_tls_by_two_processes(namespaced: Agent, backend: FakeBackend) -> None:
    config = TLS_CONFIG.replace("@@http_port@@ ssl;", "@@http_port@@ ssl http2;")
    spec = trial_spec(warmup_s=0.3, measure_s=3, config=config)
    spec = spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"tls": True})})  # type: ignore[union-attr]
    told = {"tls": True, "protocol": "http/2", "requests_at_once": 10, "threads": 2, "connections": 4}
    record = backend.add(searching(spec, 100, 400, CapacityGoal(p50_ms=5000), **told))
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    assert_exact(record)
    assert [step.per_s for step in steps_of(record)] == [100, 200, 400]
    assert (found_of(record).ended, found_of(record).met_per_s) == ("every-rate", 400)
    assert nginx_total(record) == (result_of(record).totals.completed)  # type: ignore[union-attr]


def test_a_cancelled_search_keeps_what_it_found(namespaced: Agent, backend: FakeBackend) -> None:
    spec = trial_spec(warmup_s=0.2, measure_s=60)
    record = backend.add(searching(spec, 100, 6400, CapacityGoal(p50_ms=10_000)))

    def cancel() -> None:
        with backend.changed:
            record.command = "cancel"

    thread = when(backend, lambda: steps_of(record), cancel)
    namespaced.execute(record.spec.trial_id)
    thread.join()
    assert record.end is not None
    assert record.end.outcome == "cancelled"
    assert steps_of(record)
    assert found_of(record).ended == "unfinished"
    assert_nothing_left(namespaced)


RATES = [250.0, 500.0, 750.0, 1500.0, 3000.0]


@pytest.mark.parametrize("order", ["random", "ascending"])
def test_a_curve_of_a_limit_of_requests(
    order: Literal["random", "ascending"], namespaced: Agent, backend: FakeBackend
) -> None:
    spec = trial_spec(warmup_s=0.3, measure_s=5, config=LIMITED)
    plan = OpenLoopSpec(steps=[], curve=CurveSpec(rates_per_s=RATES, order=order))
    record = backend.add(spec.model_copy(update={"streams": [open_loop(open_loop=plan, connections=50)]}))
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    assert_exact(record)
    steps = [event for event in record.events if isinstance(event, CurveStep)]
    assert sorted(step.per_s for step in steps) == RATES
    assert order == "random" or [step.per_s for step in steps] == RATES
    for step in steps:
        assert step.achieved_per_s <= 1000 * 1.01 + (BURST + 2) / seconds(step)
        undisturbed = not (step.generator_late or step.cut_short)
        assert not undisturbed or step.achieved_per_s >= 0.95 * min(step.per_s, 1000)


def test_a_rate_that_piles_up_is_cut_short(namespaced: Agent, backend: FakeBackend) -> None:
    spec = passing(12)
    plan = OpenLoopSpec(steps=[], curve=CurveSpec(rates_per_s=[40, 80, 400], order="ascending"))
    record = backend.add(spec.model_copy(update={"streams": [open_loop(open_loop=plan, connections=CONNECTIONS)]}))
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    assert_exact(record)
    steps = [event for event in record.events if isinstance(event, CurveStep)]
    most_per_s = CONNECTIONS / DELAY_MS * 1000
    assert [step.per_s for step in steps] == [40, 80, 400]
    assert steps[-1].cut_short
    assert seconds(steps[-1]) < 3
    assert all(step.failed == 0 for step in steps)
    assert all(step.achieved_per_s <= 1.02 * most_per_s for step in steps)
    undisturbed = not any(step.generator_late for step in steps)
    assert not undisturbed or steps[-1].achieved_per_s == pytest.approx(most_per_s, rel=0.06)


COUNTED = [1, 3, 5]


def counting(spec: TrialSpec, **stream: Any) -> TrialSpec:
    plan = OpenLoopSpec(steps=[], curve=CurveSpec(connections=COUNTED, order="ascending"))
    return spec.model_copy(update={"streams": [open_loop(open_loop=plan, connections=max(COUNTED), **stream)]})


@pytest.mark.parametrize("stream", [{}, {"threads": 2}, {"keep_alive": False}])
def test_connections_that_wait_for_answers(stream: dict[str, Any], namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(counting(passing(4), **stream))
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    steps = [event for event in record.events if isinstance(event, CurveStep)]
    assert [step.connections for step in steps] == COUNTED
    for step in steps:
        assert step.connections is not None
        assert step.served == step.due  # all that began in the step were answered
        most_per_s = step.connections / DELAY_MS * 1000
        assert step.due <= most_per_s * seconds(step) + step.connections
        assert step.achieved_per_s <= most_per_s * 1.001 + step.connections / seconds(step)
        assert (step.p50_us or 0) >= 1000 * DELAY_MS
        assert not step.cut_short
        undisturbed = (step.p90_us or 1e9) <= 1015 * DELAY_MS  # known of 100 requests and more
        assert not undisturbed or step.achieved_per_s == pytest.approx(most_per_s, rel=0.02)
    totals = result_of(record).totals
    assert totals is not None
    assert totals.completed == totals.intended == totals.sent
    assert_nothing_left(namespaced)


def test_a_closed_loop_finds_the_plateau_of_a_limit(namespaced: Agent, backend: FakeBackend) -> None:
    """Requests beyond the limit wait, so that few connections reach it and many have no more."""
    delayed = LIMITED.replace(f"burst={BURST} nodelay", "burst=200")
    record = backend.add(counting(trial_spec(warmup_s=0.3, measure_s=4, config=delayed)))
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    steps = [event for event in record.events if isinstance(event, CurveStep)]
    assert [step.connections for step in steps] == COUNTED
    for step in steps:
        assert step.connections is not None
        assert step.failed == 0
        assert step.due <= 1000 * 1.002 * seconds(step) + step.connections + 1
