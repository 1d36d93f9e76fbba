"""Times of each CPU, and the kernel's counts of context switches, interrupts and forks. Source: proc(5), /proc/stat.

``user`` includes ``guest`` as the kernel counts it. ``idle`` and ``iowait`` may decrease a little (proc(5)).
"""

from itertools import zip_longest

from ngxlab_worker.collectors.procfile import TICKS_PER_SECOND, FileCollector, Machine, Source
from ngxlab_worker.collectors.reading import Values, counter, gauge, parser

MODES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")

_SECONDS = "node_cpu_seconds_total"
_SCALARS = {
    b"ctxt": "node_context_switches_total",
    b"intr": "node_intr_total",
    b"processes": "node_forks_total",
    b"procs_running": "node_procs_running",
    b"procs_blocked": "node_procs_blocked",
}
METRICS = (
    counter(_SECONDS, "seconds", "cpu", "mode"),
    counter("node_context_switches_total", "switches"),
    counter("node_intr_total", "interrupts"),
    counter("node_forks_total", "forks"),
    gauge("node_procs_running", "tasks"),
    gauge("node_procs_blocked", "tasks"),
)


@parser
def parse(data: bytes) -> Values:
    """/proc/stat: seconds by CPU and mode (``None`` for a mode this kernel lacks), then the scalars."""
    values: Values = {}
    scalars = dict.fromkeys(_SCALARS.values())
    totals: dict[str, float] = {}
    for line in data.split(b"\n"):
        name, _, rest = line.partition(b" ")
        if name.startswith(b"cpu") and name != b"cpu":
            cpu = name[3:].decode("ascii")
            for mode, ticks in zip_longest(MODES, rest.split(None, len(MODES))[: len(MODES)]):
                values[_SECONDS, cpu, mode] = None if ticks is None else int(ticks) / TICKS_PER_SECOND
        elif name in _SCALARS:
            # "intr" goes on with a number for each interrupt line, perhaps thousands: only the sum is split off.
            totals[_SCALARS[name]] = float(int(rest.split(None, 1)[0]))
    if not values:
        raise ValueError(data)
    values.update({(name,): totals.get(name) for name in scalars})
    return values


def collector(machine: Machine) -> FileCollector:
    return FileCollector("cpu", METRICS, [Source(f"{machine.proc}/stat", parse)])
