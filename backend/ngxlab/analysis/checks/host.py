"""Was the host quiet, and are its clocks right: CPU frequency, other processes, cores, clock offset?"""

import re
from itertools import combinations
from typing import NamedTuple

from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_contracts.telemetry import ProcessEvent

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, trial_check, unavailable
from ngxlab.analysis.checks.every_host import every_host
from ngxlab.analysis.checks.perturbations import is_pressed
from ngxlab.analysis.summary.bottleneck.cpu import OTHERS, cpu_users

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


_MAX_SKEW_US = 50_000
_MAX_STEAL_PERCENT = 1
_MAX_OTHERS_PERCENT = 5
_MAX_LOAD_PER_CPU = 0.2
_SET_GOVERNOR = "set the governor to performance while measuring"
_STOP_OTHERS = "stop other work on this host, or wait until the load of a run before this one has settled"
_SYNCHRONISE = "run a time service on the host; charts are aligned by the measured offset"


def _cpu_frequency(context: TrialContext) -> Finding:
    inventory = context.host.inventory
    if inventory is None or inventory.cpu.governor is None:
        return unavailable("the host exposes no CPU frequency (cpufreq), so it may vary unnoticed")
    seen = say("CPU governor: {governor}", governor=inventory.cpu.governor)
    if inventory.cpu.governor != "performance":
        return Finding("warning", seen, _SET_GOVERNOR)
    return passed(seen)


def _noisy_host(context: TrialContext) -> Finding:
    inventory, users = context.host.inventory, cpu_users(context.record, context.host)
    if not users or inventory is None:
        return unavailable("CPU times or the number of CPUs were not read")
    steal, others = context.host_summary.cpu_percent_by_mode.get("steal", 0.0), users[OTHERS]
    load = _load_before(context)
    seen = say("steal {steal:.1f} %, other processes {others:.1f} % of all CPUs", steal=steal, others=others)
    pressed = is_pressed(context)
    seen = say("{seen}, load average before the run {load:.2f}", seen=seen, load=load) if load is not None else seen
    seen = say("{seen}; other processes include the planned pressure", seen=seen) if pressed else seen
    loaded = load is not None and load > _MAX_LOAD_PER_CPU * inventory.cpu.logical
    noisy = steal > _MAX_STEAL_PERCENT or (others > _MAX_OTHERS_PERCENT and not pressed) or loaded
    return Finding("warning", seen, _STOP_OTHERS) if noisy else passed(seen)


def _load_before(context: TrialContext) -> float | None:
    """The load average before the run's first trial. Before any other it is mostly the load of the trials before."""
    if context.record.position > 0:
        return None
    series, began_us = context.host.series.find("node_load1"), context.host.load_began_us
    return series[0].last_before(began_us) if series and began_us is not None else None


def _clock_skew(context: TrialContext) -> Finding:
    offset_us = context.host.clock_offset_us
    seen = say("the host's clock is {offset_us:.1f} ms off the backend's", offset_us=abs(offset_us) / 1000)
    target = context.record.target
    if target is None or target is context.host:
        return passed("{seen}, which matters to no figure of this host", seen=seen)
    apart_us = abs(target.clock_offset_us - offset_us)
    seen = say(
        "the host's clock is {apart_us:.1f} ms off that of {name}", apart_us=apart_us / 1000, name=context.name(target)
    )
    if apart_us > _MAX_SKEW_US:
        return Finding("warning", seen, _SYNCHRONISE)
    return passed(seen)


CPU_FREQUENCY = trial_check("cpu-frequency", every_host(_cpu_frequency), _SET_GOVERNOR)
NOISY_HOST = trial_check(
    "noisy-host",
    every_host(_noisy_host),
    _STOP_OTHERS,
    max_steal_percent=_MAX_STEAL_PERCENT,
    max_others_percent=_MAX_OTHERS_PERCENT,
    max_load_per_cpu=_MAX_LOAD_PER_CPU,
)
CLOCK_SKEW = trial_check("clock-skew", every_host(_clock_skew), _SYNCHRONISE, max_skew_ms=_MAX_SKEW_US // 1000)
