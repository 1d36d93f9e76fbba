"""The processes of a running stack, by what they are for."""

from collections import defaultdict
from collections.abc import Mapping

from scripts.stack.processes import ProcessId, descendants, proc_text
from scripts.testbed.stack import Stack

SERVICES = ("postgres", "redis", "backend", "front", "jobs", "coordinator", "agent")
HOLDERS = {"bwrap", "setpriv", "prlimit", "taskset"}
GENERATORS = {"wrk"}


def victims(stack: Stack) -> Mapping[str, list[ProcessId]]:
    """Every living descendant of supervisord, by role: services, the agent's pool, PostgreSQL's backends, nginx's
    master and workers, generators, and what holds them. Raises AssertionError where supervisord itself has ended."""
    supervisor = ProcessId.read(stack.data / "run" / "supervisord.pid")
    assert supervisor is not None, "supervisord has no pid file"
    assert supervisor.alive(), "supervisord itself has ended"
    found: defaultdict[str, list[ProcessId]] = defaultdict(list)
    mains = {name: ProcessId.read(stack.data / "run" / f"{name}.pid") for name in SERVICES}
    for name, main in mains.items():
        if main is not None and main.alive():
            found[name].append(main)
            for pid in descendants(main.pid):
                role, process = _role(pid, name), ProcessId.of(pid)
                if role is not None and process is not None:
                    found[role].append(process)
    return found


def _role(pid: int, service: str) -> str | None:
    name, line = proc_text(pid, "comm"), proc_text(pid, "cmdline")
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
