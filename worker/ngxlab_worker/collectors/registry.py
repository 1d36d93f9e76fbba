"""The collectors of the host, listed one by one: what is not written here is not read."""

from ngxlab_worker.collectors import cpu, disk, load, memory, network, pressure, softnet, tcp
from ngxlab_worker.collectors.reading import Collector


def host_collectors(proc: str = "/proc") -> list[Collector]:
    """Every collector that needs no target, in the order it is read."""
    return [
        cpu.collector(proc),
        load.collector(proc),
        pressure.collector(proc),
        memory.collector(proc),
        disk.collector(proc),
        network.collector(proc),
        tcp.collector(proc),
        softnet.collector(proc),
    ]
