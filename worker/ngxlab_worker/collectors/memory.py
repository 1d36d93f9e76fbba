"""Memory of the host. Source: proc(5), /proc/meminfo."""

from ngxlab_worker.collectors.procfile import FileCollector, Machine, Source
from ngxlab_worker.collectors.reading import Values, gauge, parser

FIELDS = (
    "MemTotal",
    "MemFree",
    "MemAvailable",
    "Buffers",
    "Cached",
    "Dirty",
    "Writeback",
    "Slab",
    "SReclaimable",
    "AnonPages",
)
_NAMES = {f"{field}:".encode(): f"node_memory_{field}_bytes" for field in FIELDS}
_KIB = 1024
METRICS = tuple(gauge(name, "bytes") for name in _NAMES.values())


@parser
def parse(data: bytes) -> Values:
    """/proc/meminfo: bytes; ``None`` for a field this kernel lacks (MemAvailable came with Linux 3.14)."""
    values: Values = dict.fromkeys((name,) for name in _NAMES.values())
    for line in data.splitlines():
        words = line.split(None, 2)
        name = _NAMES.get(words[0]) if words else None
        if name is not None:
            values[name,] = float(int(words[1]) * _KIB)
    if values["node_memory_MemTotal_bytes",] is None:
        raise ValueError(data)
    return values


def collector(machine: Machine) -> FileCollector:
    return FileCollector("memory", METRICS, [Source(f"{machine.proc}/meminfo", parse)])
