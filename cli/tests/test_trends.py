"""``ngxlab trends`` against a real backend."""

import json

from finished_runs import finished_run
from harness import Backend
from tests.support.caller import Caller

ARMS = ("mutex-on", "mutex-off", "reuseport")


def test_runs_of_an_experiment_are_shown_in_their_order(lab: Backend, caller: Caller) -> None:
    agent = lab.agent()
    experiment = caller.person.experiment(blocks=3)["id"]
    empty = caller.ngxlab("trends", experiment)
    assert empty.returncode == 0, empty.stderr
    assert "No completed run with valid results yet." in empty.stdout
    for rates in ([1000.0, 1004.0, 1002.0], [1330.0, 1332.0, 1336.0]):
        finished_run(lab, caller.person, agent, experiment, dict.fromkeys(ARMS, rates))

    shown = caller.ngxlab("trends", experiment)
    assert shown.returncode == 0, shown.stderr
    assert "#2 different from the runs before? Too few runs." in shown.stdout
    assert "No change points: too few runs: 2 that can be compared" in " ".join(shown.stdout.split())
    [table] = [part for part in shown.stdout.split("\n\n") if part.startswith("Requests per second")]
    assert [line.split()[0] for line in table.splitlines()[1:]] == ["RUN", "#1", "#2"]
    assert f"/experiments/{experiment}/trends" in shown.stdout

    document = json.loads(caller.ngxlab("trends", experiment, "--json").stdout)
    assert [run["number"] for run in document["runs"]] == [1, 2]
