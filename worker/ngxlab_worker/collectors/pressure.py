"""Pressure stall information: time in which some (waiting) or all (stalled) tasks lacked a resource.

Source: the kernel's Documentation/accounting/psi.rst. Needs CONFIG_PSI, and ``psi=1`` where it is off by default.
``cpu`` has no meaningful ``full`` at system level, so only its ``some`` is read, as by node_exporter.
"""

from functools import partial

from ngxlab_worker.collectors.procfile import FileCollector, Machine, Source
from ngxlab_worker.collectors.reading import Values, counter, parser

_US_PER_SECOND = 1_000_000
_SERIES = {
    ("cpu", b"some"): "node_pressure_cpu_waiting_seconds_total",
    ("io", b"some"): "node_pressure_io_waiting_seconds_total",
    ("io", b"full"): "node_pressure_io_stalled_seconds_total",
    ("memory", b"some"): "node_pressure_memory_waiting_seconds_total",
    ("memory", b"full"): "node_pressure_memory_stalled_seconds_total",
}
METRICS = tuple(counter(name, "seconds") for name in _SERIES.values())


@parser
def parse(data: bytes, *, resource: str) -> Values:
    """/proc/pressure/RESOURCE (cpu, io or memory): the totals in seconds (microseconds in the file)."""
    values: Values = {}
    for line in data.splitlines():
        scope, _, _, _, total = line.split()
        name = _SERIES.get((resource, scope))
        if name is not None:
            values[name,] = int(total.removeprefix(b"total=")) / _US_PER_SECOND
    if not values:
        raise ValueError(data)
    return values


def collector(machine: Machine) -> FileCollector:
    resources = ("cpu", "io", "memory")
    sources = [Source(f"{machine.proc}/pressure/{name}", partial(parse, resource=name)) for name in resources]
    return FileCollector("pressure", METRICS, sources)
