"""Rules about the host and the measuring itself."""

import re

from ngxlab.analysis.checks.limits import is_from_log
from ngxlab.analysis.checks.result import Finding, TrialContext, passed, unavailable
from ngxlab.analysis.measures.host import role_cores

_MAX_SKEW_US = 50_000
_OWN_ROLES = ("nginx-master", "nginx-worker", "generator", "agent")


def shared_cores(context: TrialContext) -> Finding:
    processes = [process for host in context.record.hosts for process in host.processes()]
    generators = [process.cpus_allowed for process in processes if process.role == "generator"]
    servers = [process.cpus_allowed for process in processes if process.role != "generator"]
    if not generators or not servers:
        return unavailable("the CPUs that nginx or the generator may use were not reported")
    boots = {host.inventory.boot_id for host in context.record.hosts if host.inventory is not None}
    if len(context.record.hosts) > 1 and len(boots) == len(context.record.hosts):
        return passed("generator and nginx run on different machines")
    shared = parse_cpu_list(",".join(generators)) & parse_cpu_list(",".join(servers))
    if shared:
        message = f"the generator shares {len(shared)} cores with nginx: each takes CPU from the other"
        return Finding("warning", message, "pin them to different cores, or use a generator host of its own")
    return passed("generator and nginx have cores of their own")


def cpu_frequency(context: TrialContext) -> Finding:
    governors = {host.inventory.cpu.governor for host in context.record.hosts if host.inventory is not None}
    if not governors or None in governors:
        return unavailable("the host exposes no CPU frequency (cpufreq): it may vary unseen")
    if governors != {"performance"}:
        names = ", ".join(sorted(str(governor) for governor in governors))
        return Finding("warning", f"CPU governor: {names}", "set the governor to performance while measuring")
    return passed("CPU governor: performance")


def noisy_host(context: TrialContext) -> Finding:
    modes, inventory = context.summary.cpu_percent_by_mode, context.host.inventory
    if not modes or inventory is None:
        return unavailable("CPU times or the number of CPUs are not known")
    steal = modes.get("steal", 0.0)
    busy = sum(modes.get(mode, 0.0) for mode in ("user", "nice", "system"))
    cores = [role_cores(context.host, role) for role in _OWN_ROLES]
    own = 100 * sum(core for core in cores if core is not None) / inventory.cpu.logical
    others = max(0.0, busy - own)
    series, began_us = context.host.series.find("node_load1"), context.host.load_began_us
    load = series[0].last_before(began_us) if series and began_us is not None else None
    seen = f"steal {steal:.1f} %, other processes {others:.1f} % of all CPUs, load before the start "
    seen += f"{load:.2f}" if load is not None else "unknown"
    noisy = steal > 1 or others > 5 or (load is not None and load > 0.2 * inventory.cpu.logical)
    if noisy:
        mend = "stop what else runs here; a longer cool-down lets the load of preceding trials settle"
        return Finding("warning", seen, mend)
    return passed(seen)


def clock_skew(context: TrialContext) -> Finding:
    offset_us = max((host.clock_offset_us for host in context.record.hosts), key=abs)
    seen = f"the host's clock is {abs(offset_us) / 1000:.1f} ms off the backend's"
    if abs(offset_us) > _MAX_SKEW_US:
        return Finding("warning", seen, "run a time service on the host; charts are aligned by the offset")
    return passed(seen)


def sampler(context: TrialContext) -> Finding:
    sampling, cpu = context.summary.sampling, context.summary.agent_cpu_percent
    if sampling is None:
        return unavailable("no reading of any collector lies in the window")
    seen = f"{sampling.missing} of {sampling.expected} readings missing or late, longest gap "
    seen += f"{sampling.longest_gap_s:.1f} s, agent's CPU " + (
        f"{cpu:.1f} % of a core" if cpu is not None else "unknown"
    )
    if sampling.missing_percent > 5 or (cpu is not None and cpu > 2):
        return Finding("warning", seen, "sample less often, or look at what keeps the agent from running")
    return passed(seen) if cpu is not None else unavailable(seen)


def degraded(context: TrialContext) -> Finding:
    """Whatever the agent noted: a collector that failed, wrk's memory unreadable, processes not contained."""
    notes = [note for note in context.summary.notes if note.severity != "info" and not is_from_log(note)]
    if context.summary.rate_source == "stub_status":
        lost = "the generator's memory was not readable: requests/s from nginx's counter, no latency distribution"
        return Finding("warning", lost, notes[0].message if notes else "see the host's capabilities")
    if not notes and context.host.window is None:
        return unavailable("the trial has no measured window")
    if not notes:
        return passed("every collector and engine worked as planned")
    worst = next((note for note in notes if note.severity == "error"), notes[0])
    message = f"{len(notes)} notes, the gravest: {worst.message} ({worst.code})"
    return Finding(worst.severity, message, "see the host's capabilities and the trial's notes")


def parse_cpu_list(text: str) -> set[int]:
    """The kernel's list format, e.g. ``0-3,8``."""
    ranges = [part.partition("-") for part in re.findall(r"\d+(?:-\d+)?", text)]
    return {cpu for first, _, last in ranges for cpu in range(int(first), int(last or first) + 1)}
