"""Rules about a host and the measuring itself."""

from ngxlab.analysis.checks import perturbed
from ngxlab.analysis.checks.check import Finding, TrialContext, passed, unavailable
from ngxlab.analysis.checks.cores import machine_of
from ngxlab.analysis.checks.nginx_log import is_from_log
from ngxlab.analysis.schemas import TrialNote

_MAX_SKEW_US = 50_000


def cpu_frequency(context: TrialContext) -> Finding:
    inventory = context.host.inventory
    if inventory is None or inventory.cpu.governor is None:
        return unavailable("the host exposes no CPU frequency (cpufreq): it may vary unseen")
    seen = f"CPU governor: {inventory.cpu.governor}"
    if inventory.cpu.governor != "performance":
        return Finding("warning", seen, "set the governor to performance while measuring")
    return passed(seen)


def noisy_host(context: TrialContext) -> Finding:
    modes, inventory = context.host_summary.cpu_percent_by_mode, context.host.inventory
    if not modes or inventory is None:
        return unavailable("CPU times or the number of CPUs are not known")
    steal = modes.get("steal", 0.0)
    busy = sum(modes.get(mode, 0.0) for mode in ("user", "nice", "system"))
    others = max(0.0, busy - 100 * _own_cores(context) / inventory.cpu.logical)
    series, began_us = context.host.series.find("node_load1"), context.host.load_began_us
    load = series[0].last_before(began_us) if series and began_us is not None else None
    seen = f"steal {steal:.1f} %, other processes {others:.1f} % of all CPUs, load before the start "
    seen += f"{load:.2f}" if load is not None else "unknown"
    pressed = perturbed.is_pressed(context)
    if pressed:
        seen += "; others include the pressure that was asked for"
    noisy = steal > 1 or (others > 5 and not pressed) or (load is not None and load > 0.2 * inventory.cpu.logical)
    if noisy:
        mend = "stop what else runs here; a longer cool-down lets the load of preceding trials settle"
        return Finding("warning", seen, mend)
    return passed(seen)


def _own_cores(context: TrialContext) -> float:
    """What the trial itself uses on this machine: two hosts may be parts of one."""
    here = {host.host_id for host in context.record.hosts if machine_of(host) == machine_of(context.host)}
    return sum(sum(one.cores_by_role.values()) for one in context.summary.hosts if one.host_id in here)


def clock_skew(context: TrialContext) -> Finding:
    offset_us = context.host.clock_offset_us
    seen = f"the host's clock is {abs(offset_us) / 1000:.1f} ms off the backend's"
    if abs(offset_us) > _MAX_SKEW_US:
        return Finding("warning", seen, "run a time service on the host; charts are aligned by the offset")
    return passed(seen)


def sampler(context: TrialContext) -> Finding:
    sampling, cpu = context.host_summary.sampling, context.host_summary.agent_cpu_percent
    if sampling is None:
        return unavailable("no reading of any collector lies in the window")
    seen = f"{sampling.missing} of {sampling.expected} readings missing or late, longest gap "
    seen += f"{sampling.longest_gap_s:.1f} s, agent's CPU " + (
        f"{cpu:.1f} % of a core" if cpu is not None else "unknown"
    )
    if sampling.missing_percent > 5 or (cpu is not None and cpu > 2):
        return Finding("warning", seen, "sample less often, or look at what keeps the agent from running")
    return passed(seen) if cpu is not None else unavailable(seen)


def _is_measuring(note: TrialNote) -> bool:
    """Other rules speak of nginx's log and of perturbations."""
    return not is_from_log(note) and note.code != perturbed.NOTE


def degraded(context: TrialContext) -> Finding:
    """Whatever the agent noted: a collector that failed, wrk's memory unreadable, processes not contained."""
    notes = [note for note in context.summary.notes if note.severity != "info" and _is_measuring(note)]
    if context.summary.rate_source == "stub_status":
        lost = "the generator's memory was not readable: requests/s from nginx's counter, no latency distribution"
        return Finding("warning", lost, notes[0].message if notes else "see the host's capabilities")
    if not notes and context.host.window is None:
        return unavailable("the trial has no measured window")
    if not notes:
        return passed("every collector and engine worked as planned")
    worst = next((note for note in notes if note.severity == "error"), notes[0])
    where = f"{worst.host}: " if worst.host is not None else ""
    message = f"{len(notes)} notes, the gravest: {where}{worst.message} ({worst.code})"
    return Finding(worst.severity, message, "see the host's capabilities and the trial's notes")
