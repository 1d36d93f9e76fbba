"""A run on a host of the stack, to its verdict, and what is read of it later."""

from typing import Any

from scripts.console import Failure
from scripts.stack.waiting import wait_until
from scripts.testbed.stack import Stack

PARAMETERS = {"blocks": 3, "warmup_s": 1, "measure_s": 3, "cooldown_s": 0}
ENDS_WITHIN_S = 600


def measure(stack: Stack, host_id: str) -> str:
    """The id of a run that has completed, with a verdict."""
    body = {"name": "Containers", "template_key": "reuseport", "parameters": PARAMETERS}
    experiment = stack.api("POST", "/experiments", body)
    run_id: str = stack.api("POST", f"/experiments/{experiment['id']}/runs", {"host_id": host_id})["id"]
    ended = stack.wait_for_end(run_id, ENDS_WITHIN_S)
    if ended["state"] != "completed":
        raise Failure(f"the run is {ended['state']}: {ended['state_reason']}")
    if not what_lasts(stack, run_id)["headline"]:
        raise Failure("the run has no verdict")
    return run_id


def what_lasts(stack: Stack, run_id: str) -> dict[str, Any]:
    """What a restart and a restored backup must keep of a run."""
    analysis = stack.api("GET", f"/runs/{run_id}/report")["analysis"]
    trials = stack.api("GET", f"/runs/{run_id}")["trials"]
    points = [len(stack.api("GET", f"/trials/{trial['id']}/series")["series"]) for trial in trials]
    return {
        "headline": analysis["headline"],
        "statements": analysis.get("statements"),
        "trials": [(trial["id"], trial["state"]) for trial in trials],
        "series": points,
    }


def idle_host(stack: Stack, name: str) -> str:
    found: list[str] = []

    def look() -> bool:
        hosts = stack.api("GET", "/hosts")["items"]
        found[:] = [host["id"] for host in hosts if host["name"] == name and host["state"] == "idle"]
        return bool(found)

    wait_until(look, f"the host {name} is idle", seconds=120)
    return found[0]
