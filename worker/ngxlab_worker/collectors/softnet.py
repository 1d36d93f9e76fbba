"""Packets that the kernel's receive path dropped, and how often it ran out of its budget, summed over all CPUs.

Source: net/core/net-procfs.c, /proc/net/softnet_stat: one row a CPU in hexadecimal; its second column counts drops
(backlog longer than netdev_max_backlog), its third squeezes. Each is 32 bits wide and may wrap.
"""

from ngxlab_worker.collectors.procfile import FileCollector, Machine, Source
from ngxlab_worker.collectors.reading import Values, counter, parser

_DROPPED = "node_softnet_dropped_total"
_SQUEEZED = "node_softnet_times_squeezed_total"
METRICS = (counter(_DROPPED, "packets"), counter(_SQUEEZED, "squeezes"))


@parser
def parse(data: bytes) -> Values:
    rows = [line.split(None, 3) for line in data.splitlines()]
    if not rows:
        raise ValueError(data)
    dropped = sum(int(row[1], 16) for row in rows)
    squeezed = sum(int(row[2], 16) for row in rows)
    return {(_DROPPED,): float(dropped), (_SQUEEZED,): float(squeezed)}


def collector(machine: Machine) -> FileCollector:
    return FileCollector("softnet", METRICS, [Source(f"{machine.proc}/net/softnet_stat", parse)])
