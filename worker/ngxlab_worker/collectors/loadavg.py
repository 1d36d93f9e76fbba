"""Load averages over 1, 5 and 15 minutes. Source: proc(5), /proc/loadavg.

They count tasks in state D too, so blocked disk reads raise the load average of an idle CPU.
"""

from math import isfinite

from ngxlab_worker.collectors.procfile import FileCollector, Machine, Source
from ngxlab_worker.collectors.reading import Values, gauge, parser

METRICS = (gauge("node_load1", "tasks"), gauge("node_load5", "tasks"), gauge("node_load15", "tasks"))


@parser
def parse(data: bytes) -> Values:
    loads = [float(word) for word in data.split()[:3]]
    if not all(map(isfinite, loads)):
        raise ValueError(data)
    return {(metric.name,): load for metric, load in zip(METRICS, loads, strict=True)}


def collector(machine: Machine) -> FileCollector:
    return FileCollector("load", METRICS, [Source(f"{machine.proc}/loadavg", parse)])
