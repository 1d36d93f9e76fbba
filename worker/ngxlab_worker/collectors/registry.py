"""The collectors of the host. One that is not listed here is not read."""

from ngxlab_worker.collectors import cpu, disk, loadavg, memory, network, pressure, softnet, tcp
from ngxlab_worker.collectors.reading import Collector


def host_collectors(proc: str = "/proc", devices: frozenset[str] = frozenset()) -> list[Collector]:
    """The collectors in the order in which they are read. ``devices``: the trial's own block devices."""
    return [
        cpu.collector(proc),
        loadavg.collector(proc),
        pressure.collector(proc),
        memory.collector(proc),
        disk.collector(proc, devices=devices),
        network.collector(proc),
        tcp.collector(proc),
        softnet.collector(proc),
    ]
