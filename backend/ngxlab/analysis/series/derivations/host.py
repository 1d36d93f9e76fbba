"""The host as a whole: CPU, pressure, load average, memory, disk, network, TCP."""

from collections.abc import Iterator

from ngxlab.analysis.series.derivations.declaration import series
from ngxlab.analysis.series.derivations.step import Line, Step, Value, at_least_zero, share, total

_IDLE_MODES = ("idle", "iowait")
_PRESSURE = {
    "node_pressure_cpu_waiting_seconds_total": "CPU waiting",
    "node_pressure_io_waiting_seconds_total": "I/O waiting",
    "node_pressure_io_stalled_seconds_total": "I/O stalled",
    "node_pressure_memory_waiting_seconds_total": "memory waiting",
    "node_pressure_memory_stalled_seconds_total": "memory stalled",
}
_LOAD = {"node_load1": "1 min", "node_load5": "5 min", "node_load15": "15 min"}
_TCP_SOCKETS = {"node_sockstat_TCP_inuse": "in use", "node_sockstat_TCP_tw": "time-wait"}
_TCP_PROBLEMS = {
    "node_netstat_TcpExt_ListenOverflows": "listen overflows",
    "node_netstat_TcpExt_ListenDrops": "listen drops",
    "node_netstat_TcpExt_TCPTimeouts": "timeouts",
    "node_netstat_TcpExt_TCPAbortOnMemory": "aborts for memory",
    "node_netstat_Tcp_RetransSegs": "retransmissions",
    "node_softnet_dropped_total": "backlog dropped",
    "node_softnet_times_squeezed_total": "backlog squeezed",
}
_DISK = {"node_disk_read_bytes_total": "read", "node_disk_written_bytes_total": "written"}
_NETWORK = {"node_network_receive_bytes_total": "received", "node_network_transmit_bytes_total": "transmitted"}


@series("cpu_share", "node_cpu_seconds_total")
def cpu_share(step: Step) -> Iterator[Line]:
    """Shares of all CPUs' time. idle and iowait may decrease slightly (proc_stat(5)), which counts as zero."""
    spent: dict[str, Value] = {}
    for labels, change in step.changes("node_cpu_seconds_total"):
        mode = labels["mode"]
        spent[mode] = spent.get(mode, 0.0) + at_least_zero(change)
    whole = total(list(spent.values()))
    for mode, value in spent.items():
        yield Line("cpu_share", mode, share(value, whole))


@series("cpu_busy_share", "node_cpu_seconds_total")
def cpu_busy(step: Step) -> Iterator[Line]:
    """The part of each CPU's time in which it was neither idle nor waiting for the disk."""
    spent: dict[str, dict[str, Value]] = {}
    for labels, change in step.changes("node_cpu_seconds_total"):
        spent.setdefault(labels["cpu"], {})[labels["mode"]] = at_least_zero(change)
    for cpu, modes in spent.items():
        whole = total(list(modes.values()))
        idle = total([modes.get(mode, 0.0) for mode in _IDLE_MODES])
        yield Line("cpu_busy_share", f"CPU {cpu}", share(whole - idle, whole))


@series("pressure_share", "node_pressure_cpu_waiting_seconds_total")
def pressure_share(step: Step) -> Iterator[Line]:
    for name, label in _PRESSURE.items():
        for _, rate in step.rates(name):
            yield Line("pressure_share", label, 100 * rate)


@series("load_average", "node_load1")
def load_average(step: Step) -> Iterator[Line]:
    for name, label in _LOAD.items():
        for _, value in step.gauges(name):
            yield Line("load_average", label, value)


@series("memory_available_bytes", "node_memory_MemAvailable_bytes")
def memory(step: Step) -> Iterator[Line]:
    for _, value in step.gauges("node_memory_MemAvailable_bytes"):
        yield Line("memory_available_bytes", "available", value)


@series("disk_bytes_per_s", "node_disk_read_bytes_total")
def disk(step: Step) -> Iterator[Line]:
    for name, word in _DISK.items():
        yield from _per_device(step, name, "disk_bytes_per_s", word, factor=1)


@series("network_bits_per_s", "node_network_receive_bytes_total")
def network(step: Step) -> Iterator[Line]:
    for name, word in _NETWORK.items():
        yield from _per_device(step, name, "network_bits_per_s", word, factor=8)


@series("tcp_sockets", "node_sockstat_TCP_inuse")
def tcp_sockets(step: Step) -> Iterator[Line]:
    for name, label in _TCP_SOCKETS.items():
        for _, value in step.gauges(name):
            yield Line("tcp_sockets", label, value)


@series("tcp_problems_per_s", "node_netstat_TcpExt_ListenOverflows", "node_softnet_dropped_total")
def tcp_problems(step: Step) -> Iterator[Line]:
    for name, label in _TCP_PROBLEMS.items():
        if name in step.view.columns:
            rate = step.memory.since_active("tcp_problems_per_s", label, step.rate(name))
            if rate is not None:
                yield Line("tcp_problems_per_s", label, rate)


def _per_device(step: Step, name: str, key: str, word: str, *, factor: float) -> Iterator[Line]:
    for labels, rate in step.rates(name):
        label = f"{labels['device']} {word}"
        shown = step.memory.since_active(key, label, rate)
        if shown is not None:
            yield Line(key, label, factor * shown)
