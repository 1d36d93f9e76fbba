"""Do generators, nginx and backends take CPU from one another?"""

import re
from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

from ngxlab_contracts.telemetry import ProcessEvent

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, unavailable
from ngxlab.analysis.records import HostRecord

_PART: Mapping[str, str] = {"nginx-master": "nginx", "nginx-worker": "nginx", "backend": "the backends"}


class _Machine(NamedTuple):
    """Hosts that share one kernel (network namespaces, containers), and which CPUs each part may use there."""

    names: list[str]
    cpus: dict[str, set[int]]


def shared_cores(context: TrialContext) -> Finding:
    machines = _machines(context)
    parts = {part for machine in machines.values() for part in machine.cpus}
    if not {"the generator", "nginx"} <= parts:
        return unavailable("the CPUs that nginx or the generator may use were not reported")
    shared = [found for machine in machines.values() for found in _overlaps(machine, named=context.several_hosts)]
    if shared:
        message = f"{'; '.join(shared)}: each takes CPU from the other"
        return Finding("warning", message, "pin them to different cores, or use a generator host of its own")
    if all(len(machine.cpus) <= 1 for machine in machines.values()):
        return passed("generator and nginx run on different machines")
    return passed("generator and nginx have cores of their own")


def parse_cpu_list(text: str) -> set[int]:
    """The kernel's list format, e.g. ``0-3,8``."""
    ranges = [part.partition("-") for part in re.findall(r"\d+(?:-\d+)?", text)]
    return {cpu for first, _, last in ranges for cpu in range(int(first), int(last or first) + 1)}


def machine_of(host: HostRecord) -> str:
    """The same for hosts on the same running kernel."""
    return host.inventory.boot_id if host.inventory is not None else str(host.host_id)


def _machines(context: TrialContext) -> dict[str, _Machine]:
    machines: dict[str, _Machine] = {}
    for host in context.record.hosts:
        machine = machines.setdefault(machine_of(host), _Machine([], {}))
        machine.names.append(context.name(host))
        for process in host.processes():
            machine.cpus.setdefault(_part(process), set()).update(parse_cpu_list(process.cpus_allowed))
    return machines


def _overlaps(machine: _Machine, *, named: bool) -> list[str]:
    where = f"on {', '.join(machine.names)} " if named else ""
    common = ((one, other, len(machine.cpus[one] & machine.cpus[other])) for one, other in _pairs(machine))
    return [f"{where}{one} and {other} share {_cores(count)}" for one, other, count in common if count]


def _pairs(machine: _Machine) -> list[tuple[str, str]]:
    order = [part for part in ("the generator", "the backends", "nginx") if part in machine.cpus]
    return list(combinations(order, 2))


def _cores(count: int) -> str:
    return f"{count} core{'s' if count > 1 else ''}"


def _part(process: ProcessEvent) -> str:
    return _PART.get(process.role, "the generator")
