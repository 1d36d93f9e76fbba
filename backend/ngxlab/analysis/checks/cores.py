"""Do generators, nginx and upstream servers compete for the same CPUs?"""

import re
from itertools import combinations
from typing import NamedTuple

from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_contracts.telemetry import ProcessEvent

from ngxlab.analysis.checks.check import trial_check
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.checks.finding import Finding, passed, unavailable

_GENERATOR, _NGINX, _UPSTREAM = say("the generator"), say("nginx"), say("the upstream servers")
_GROUP_OF_ROLE = {"nginx-master": _NGINX, "nginx-worker": _NGINX, "upstream": _UPSTREAM}
_PIN = "pin them to different cores, or use a generator host of its own"


class _Machine(NamedTuple):
    """Hosts that share one kernel (network namespaces, containers).

    ``cpus``: the CPUs that each group of processes may use.
    """

    names: list[str]
    cpus: dict[Sentence, set[int]]


def _shared_cores(context: TrialContext) -> Finding:
    machines = _machines(context)
    groups = {group for machine in machines.values() for group in machine.cpus}
    if not {_GENERATOR, _NGINX} <= groups:
        return unavailable("the agent did not report which CPUs nginx or the generator may use")
    shared = [text for machine in machines.values() for text in _overlaps(machine, named=context.several_hosts)]
    if shared:
        message = say("{shared}: each takes CPU from the other", shared=listed(shared, "; "))
        return Finding("warning", message, _PIN)
    if all(len(machine.cpus) <= 1 for machine in machines.values()):
        return passed("generator and nginx run on different machines")
    return passed("generator and nginx have cores of their own")


def parse_cpu_list(text: str) -> set[int]:
    """The kernel's list format, e.g. ``0-3,8``."""
    ranges = [part.partition("-") for part in re.findall(r"\d+(?:-\d+)?", text)]
    return {cpu for first, _, last in ranges for cpu in range(int(first), int(last or first) + 1)}


def _machines(context: TrialContext) -> dict[str, _Machine]:
    machines: dict[str, _Machine] = {}
    for host in context.record.hosts:
        machine = machines.setdefault(host.machine, _Machine([], {}))
        machine.names.append(context.name(host))
        for process in host.processes():
            machine.cpus.setdefault(_group(process), set()).update(parse_cpu_list(process.cpus_allowed))
    return machines


def _overlaps(machine: _Machine, *, named: bool) -> list[Sentence]:
    names = listed(machine.names)
    common = ((one, other, len(machine.cpus[one] & machine.cpus[other])) for one, other in _pairs(machine))
    return [
        say(
            "on {names} {one} and {other} share {cores}" if named else "{one} and {other} share {cores}",
            names=names,
            one=one,
            other=other,
            cores=_cores(count),
        )
        for one, other, count in common
        if count
    ]


def _pairs(machine: _Machine) -> list[tuple[Sentence, Sentence]]:
    order = [group for group in (_GENERATOR, _UPSTREAM, _NGINX) if group in machine.cpus]
    return list(combinations(order, 2))


def _cores(count: int) -> Sentence:
    return say("{count} cores" if count > 1 else "{count} core", count=count)


def _group(process: ProcessEvent) -> Sentence:
    return _GROUP_OF_ROLE.get(process.role, _GENERATOR)


SHARED_CORES = trial_check("shared-cores", _shared_cores, _PIN)
