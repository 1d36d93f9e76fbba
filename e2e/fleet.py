"""A whole ngxlab with several hosts: network namespaces, an agent in each, one server for all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.paths import BIN
from scripts.stack.waiting import wait_until
from scripts.testbed.netns import Fleet
from scripts.testbed.stack import Stack, running_stack


@dataclass(frozen=True)
class Lab:
    """Hosts by name; each is registered under that name."""

    fleet: Fleet
    stack: Stack

    def host_ids(self) -> dict[str, str]:
        return {host["name"]: host["id"] for host in self.stack.api("GET", "/hosts")["items"]}

    def states(self) -> dict[str, str]:
        return {host["name"]: host["state"] for host in self.stack.api("GET", "/hosts")["items"]}


def _join(fleet: Fleet, stack: Stack, host: str) -> None:
    """Enrol a host as its owner would, and start its agent."""
    token = stack.api("POST", "/hosts/enrolment-tokens", {"expires_in_minutes": 5})["token"]
    folder = stack.data / "agents" / host
    folder.mkdir(parents=True, mode=0o711)
    folder.parent.chmod(0o711)
    environment = {"PATH": os.environ["PATH"], "NGXLAB_AGENT_DIR": str(folder), "NGXLAB_RUN_AS": "ngxlab"}
    ngxlab = str(BIN / "ngxlab-worker")
    joining = fleet.start(host, [ngxlab, "host", "join", stack.url, token, "--name", host], environment, Path("/"))
    if joining.wait(30) != 0:
        raise RuntimeError(f"{host} could not join")
    fleet.start(host, [ngxlab, "agent"], environment, Path("/"))


@contextmanager
def running_lab() -> Iterator[Lab]:
    """Target, two generators and a backend host, all online."""
    with Fleet() as fleet, running_stack(bind=fleet.gateway) as stack:
        for host in fleet.hosts:
            _join(fleet, stack, host)
        lab = Lab(fleet, stack)
        wait_until(lambda: all(lab.states().get(host) == "idle" for host in fleet.hosts), "all hosts online", 60)
        yield lab
