"""A trial in which nothing was disturbed."""

import pytest
from ngxlab.analysis.checks import trial_checks
from tests.checks.bench import Bench, fires, judged_together
from tests.support.specs import trial_spec
from tests.support.streams import open_loop

ONLY_ON_A_QUIET_MACHINE = {
    "generator-saturated",
    "open-loop-behind",
    "shared-cores",
    "cpu-frequency",
    "noisy-host",
    "accounting",
    "sampler",
    "measurement-degraded",
}
"""What other work on the machine, or a machine with one CPU, makes doubtful in truth."""
WITHOUT_DATA = {"conntrack", "link-speed", "steady"}
"""The machine may have no such table or link, and the window is too short for a drift."""


@pytest.mark.usefixtures("own_network")
def test_a_healthy_trial(bench: Bench) -> None:
    spec = trial_spec().model_copy(update={"streams": [open_loop(100, connections=4)]})
    trial = bench.run(spec)
    results = dict(trial.results)
    assert len(results) == len(trial_checks())
    assert fires(results, "loopback", "info")
    silent = results.keys() - ONLY_ON_A_QUIET_MACHINE - WITHOUT_DATA - {"loopback"}
    assert {key: results[key].message for key in silent if results[key].severity != "pass"} == {}
    assert {
        key: results[key].message for key in WITHOUT_DATA if results[key].severity not in {"pass", "unavailable"}
    } == {}
    between = judged_together(trial, bench.run(spec.model_copy(update={"trial_id": spec.run_id})))
    assert {result.severity for result in between.values()} == {"pass"}
