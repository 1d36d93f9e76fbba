"""Generators that are too slow, too late, or get no answers."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from ngxlab_contracts.streams import CapacityGoal, CapacitySpec, OpenLoopSpec, RateStep
from ngxlab_contracts.trials import TrialSpec
from tests.checks.bench import Bench, fires, limited_by, pids_of
from tests.support.records import TrialRecord
from tests.support.specs import CONFIG, PROXY_CONFIG, app_server, trial_spec
from tests.support.streams import open_loop

CPU = min(os.sched_getaffinity(0))
BUSY_SCRIPT = """\
function request()
  local n = 0
  for i = 1, 2000000 do n = (n + i) % 7 end
  return wrk.format(nil, "/" .. n)
end
"""
"""wrk computes for milliseconds before each request."""


def paused(pids: list[int], seconds: float) -> None:
    """Stop processes for a while: the fault itself is this time."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


def proxied(**changes: object) -> TrialSpec:
    """Before an upstream server on the same host."""
    spec = trial_spec(config=PROXY_CONFIG)
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"upstream_servers": ["upstream.app"]})
    return spec.model_copy(update={"nginx": nginx, "upstream_servers": [app_server()], **changes})


def computing() -> TrialSpec:
    """With so many connections that wrk always has something to send, however slow nginx is."""
    return trial_spec(stream={"script": BUSY_SCRIPT, "connections": 200, "cpus": str(CPU)})


def test_a_generator_that_computes_all_the_time(bench: Bench) -> None:
    """On a busy machine it waits for its CPU as well, which the same check tells."""

    def prefer(record: TrialRecord) -> None:
        bench.wait_for(record, "ready")
        (pid,) = pids_of(record, "generator")
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.setpriority(os.PRIO_PROCESS, int(thread.name), -20)

    said = fires(bench.run(computing(), prefer).results, "generator-saturated", "error", "warning")
    assert "of a core" in said or "waited for a CPU" in said


def test_a_generator_that_waits_for_a_burner_on_its_core(bench: Bench, burn: Callable[[int], None]) -> None:
    for _ in range(4):  # so many that it waits most of the time, however slow nginx is on the other one
        burn(CPU)
    trial = bench.run(computing())
    assert "waited for a CPU" in fires(trial.results, "generator-saturated", "warning")
    assert "waited for a CPU" in limited_by(trial.summary, "generator CPU")


def test_an_open_loop_beyond_what_its_generator_can_send(bench: Bench) -> None:
    plan = OpenLoopSpec(steps=[RateStep(per_s=3_000_000, duration_s=1)])
    spec = trial_spec().model_copy(update={"streams": [open_loop(connections=2, open_loop=plan)]})
    assert "intended requests" in fires(bench.run(spec).results, "open-loop-behind", "error")


@pytest.mark.parametrize(
    ("most_errors_percent", "said"),
    [(0, "no rate from 200/s on met the goal"), (100, "every rate up to 300/s met the goal")],
)
def test_a_search_whose_goal_no_rate_or_every_rate_meets(bench: Bench, most_errors_percent: float, said: str) -> None:
    """Half of the answers are errors, at any rate."""
    goal = CapacityGoal(errors_percent=most_errors_percent)
    plan = OpenLoopSpec(steps=[], capacity=CapacitySpec(goal=goal, from_per_s=200, to_per_s=300))
    config = CONFIG.replace('return 200 "OK\\n";', "if ($request_id ~ ^[0-7]) { return 503; } return 200;")
    spec = trial_spec(config=config, measure_s=4).model_copy(update={"streams": [open_loop(open_loop=plan)]})
    assert said in fires(bench.run(spec).results, "capacity", "warning")


def test_an_open_loop_whose_generator_was_held_up(bench: Bench) -> None:
    spec = trial_spec(measure_s=2).model_copy(update={"streams": [open_loop(1000, connections=200)]})

    def hold_up(record: TrialRecord) -> None:
        bench.wait_for(record, "measure")
        paused(pids_of(record, "generator"), 0.4)

    said = fires(bench.run(spec, hold_up).results, "open-loop-behind", "warning", "error")
    assert "ms late (p99)" in said or "of stream main" in said


def test_an_upstream_server_that_stands_still(bench: Bench) -> None:
    spec = proxied(streams=[open_loop(20, connections=40, timeout_s=1)])
    spec = spec.model_copy(update={"timing": spec.timing.model_copy(update={"measure_s": 2})})

    def stand_still(record: TrialRecord) -> None:
        bench.wait_for(record, "warmup")
        paused(pids_of(record, "upstream"), 1.6)

    assert "timed out" in fires(bench.run(spec, stand_still).results, "timeouts", "error")


def test_a_server_that_fails(bench: Bench) -> None:
    spec = trial_spec(config=CONFIG.replace('return 200 "OK\\n"', "return 500"))
    assert "responses with an unexpected status (100 %)" in fires(bench.run(spec).results, "errors", "error")


def test_a_closed_loop(bench: Bench) -> None:
    results = bench.run(trial_spec()).results
    assert "closed loop" in fires(results, "coordinated-omission", "info")
    assert "share" in fires(results, "shared-cores", "warning")
