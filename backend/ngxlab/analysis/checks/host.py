"""Was the host quiet, and are its clocks right: CPU frequency, other processes, clock offset?"""

from ngxlab_contracts.sentences import say

from ngxlab.analysis.checks.check import trial_check
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.checks.every_host import every_host
from ngxlab.analysis.checks.finding import Finding, passed, unavailable
from ngxlab.analysis.checks.perturbed import is_pressed
from ngxlab.analysis.summary.bottleneck.cpu import OTHERS, cpu_users

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
