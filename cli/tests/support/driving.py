"""Drive a run as its coordinator and its agent do, while ``ngxlab run`` follows it."""

import subprocess
from collections.abc import Callable
from typing import Any

from harness import Agent, Backend, Coordinator
from services import wait_until
from tests.support.caller import Caller

SHORT = ["--set", "blocks=1", "--set", "warmup_s=1", "--set", "measure_s=2", "--set", "cooldown_s=0",
         "--set", "connections=10", "--set", "threads=1"]  # fmt: skip
FINISH = Callable[[Agent, str], None]


def begin(caller: Caller, agent: Agent, *options: str) -> "tuple[subprocess.Popen[str], str]":
    """``ngxlab run`` of a short template, and the id of the run once it is queued."""
    process = caller.start("run", "--template", "reuseport", *SHORT, "--host", agent.name, *options)

    def queued() -> list[dict[str, Any]]:
        assert process.poll() is None, process.communicate()
        runs = caller.person.client.get("/runs").json()["items"]
        return [run for run in runs if run["hosts"] == [agent.name]]

    wait_until(lambda: bool(queued()), "the run being queued")
    run_id: str = queued()[0]["id"]
    return process, run_id


def drive(
    lab: Backend, agent: Agent, run_id: str, trial: FINISH | None = None, coordinator: Coordinator | None = None
) -> None:
    """Do what the coordinator and the agent do, to the run's end. ``coordinator``: one that drove the run before."""
    coordinator = coordinator or lab.coordinator()
    agent.beat()  # a host that is silent for some seconds gets no trial
    coordinator.lease(run_id).raise_for_status()
    while (step := coordinator.next(run_id))["kind"] == "trial":
        run_trial(coordinator, agent, step["trial"]["trial_id"], trial)


def run_trial(coordinator: Coordinator, agent: Agent, trial_id: str, trial: FINISH | None) -> None:
    if trial is None:
        agent.whole_trial(coordinator, trial_id)
    else:
        trial(agent, trial_id)


def fail(agent: Agent, trial_id: str) -> None:
    agent.claim(trial_id).raise_for_status()
    agent.end(trial_id, 1, outcome="failed", code="nginx-config-invalid")


def ended(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


def read_until(process: "subprocess.Popen[str]", text: str) -> bool:
    """Whether the next line of progress has ``text``."""
    assert process.stderr is not None
    return text in process.stderr.readline()
