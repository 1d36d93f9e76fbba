"""What must hold of a stack with a finished run, whatever version measured it."""

from typing import Any

from scripts.console import Failure
from scripts.stack.waiting import wait_until
from scripts.testbed.stack import Stack

PARAMETERS = {"blocks": 2, "warmup_s": 1, "measure_s": 3, "cooldown_s": 0}
ARMS = {"mutex-on", "mutex-off", "reuseport"}


def ask(stack: Stack, run_id: str) -> None:
    """Raises :class:`Failure` with what cannot be read, or not be measured again."""
    run = stack.run(run_id)
    _require(run["state"] == "completed", f"the run is {run['state']}")
    _require(_completed(run) == ARMS, f"its completed trials are of {_completed(run)}")
    _ask_for_report(stack, run_id)
    for trial in run["trials"]:
        series = stack.api("GET", f"/trials/{trial['id']}/series")["series"]
        _require(any(one["points"] for one in series), f"trial {trial['id']} has no points")
        kept = {file["name"] for file in stack.api("GET", f"/trials/{trial['id']}/artefacts")}
        _require("nginx.conf" in kept, f"trial {trial['id']} has only the files {kept}")
    _measure_again(stack, run["experiment_id"])


def _ask_for_report(stack: Stack, run_id: str) -> None:
    analysis = stack.api("GET", f"/runs/{run_id}/report")["analysis"]
    _require(bool(analysis["headline"]), "its report has no headline")
    usable = {arm["key"]: arm["usable_trials"] for arm in analysis["arms"]}
    _require(usable == dict.fromkeys(ARMS, PARAMETERS["blocks"]), f"its report has usable trials {usable}")
    rates = [one for arm in analysis["arms"] for one in arm["metrics"] if one["metric"] == "requests_per_s"]
    _require(len(rates) == len(ARMS) and all(one["mean"] > 0 for one in rates), f"its report has rates {rates}")


def _measure_again(stack: Stack, experiment_id: str) -> None:
    """The stored experiment is still one that can be run."""
    idle: list[str] = []

    def look() -> bool:
        idle[:] = [host["id"] for host in stack.api("GET", "/hosts") if host["state"] == "idle"]
        return bool(idle)

    wait_until(look, "an idle host", seconds=60)
    again = stack.api("POST", f"/experiments/{experiment_id}/runs", {"host_id": idle[0]})
    ended = stack.wait_for_end(again["id"], seconds=240)
    _require(ended["state"] == "completed", f"its experiment, run again, is {ended['state']}: {ended['state_reason']}")
    _require(_completed(ended) == ARMS, "its experiment, run again, lacks arms")


def _completed(run: Any) -> set[str]:
    return {trial["arm"] for trial in run["trials"] if trial["state"] == "completed"}


def _require(holds: bool, otherwise: str) -> None:  # noqa: FBT001 (as assert)
    if not holds:
        raise Failure(otherwise, "the upgrade lost it")
