"""The processes of a running stack, by what they are for."""

import signal
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.stack.processes import ProcessId
from scripts.testbed.stack import Stack

SERVICES = ("postgres", "redis", "backend", "front", "jobs", "coordinator", "agent")
HOLDERS = {"bwrap", "setpriv", "prlimit", "taskset"}
GENERATORS = {"wrk"}


@dataclass(frozen=True)
class Victim:
    role: str
    process: ProcessId

    def send(self, number: signal.Signals) -> None:
        self.process.send(number)


def victims(stack: Stack) -> Mapping[str, list[Victim]]:
    """Every living descendant of supervisord, by role: services, the agent's pool, PostgreSQL's backends, nginx's
    master and workers, generators, and what holds them. Raises AssertionError where supervisord itself has ended."""
    supervisor = ProcessId.read(stack.data / "run" / "supervisord.pid")
    assert supervisor is not None, "supervisord has no pid file"
    assert supervisor.alive(), "supervisord itself has ended"
    found: defaultdict[str, list[Victim]] = defaultdict(list)
    mains = {name: ProcessId.read(stack.data / "run" / f"{name}.pid") for name in SERVICES}
    for name, main in mains.items():
        if main is not None and main.alive():
            found[name].append(Victim(name, main))
            for pid in descendants(main.pid):
                role, process = _role(pid, name), ProcessId.of(pid)
                if role is not None and process is not None:
                    found[role].append(Victim(role, process))
    return found


def _role(pid: int, service: str) -> str | None:
    name, line = _read(pid, "comm"), _read(pid, "cmdline")
    if service == "postgres":
        return "postgres-backend"
    if service == "jobs":
        return "jobs-pool"
    if service != "agent":
        return None
    if name == "nginx":
        return "nginx-worker" if "worker process" in line else "nginx-master"
    if name in GENERATORS:
        return "generator"
    if name in HOLDERS:
        return "holder"
    if "dead_mans_switch" in line:
        return "switch"
    return "agent-pool" if name.startswith(("ngxlab", "python", "[celery")) else None


def _read(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace").replace("\0", " ").strip()
    except OSError:
        return ""  # it has ended meanwhile


def descendants(pid: int) -> Iterator[int]:
    """All living processes below ``pid``."""
    for word in _read(pid, f"task/{pid}/children").split():
        yield int(word)
        yield from descendants(int(word))
