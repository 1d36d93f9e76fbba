"""A whole, healthy trial whose every figure is known, to be bent by tests.

Per second: 600 responses of 100 to 1,000 us; 4 workers with CPU 0.4, 0.2, 0.1, 0.1 cores and 60, 20, 10, 10
connections; the agent polls once a second.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from analysis import builders
from analysis.builders import Column, Columns, Value, constant, line
from ngxlab.analysis.records import HostRecord
from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import Event
from ngxlab_contracts.trials import TrialSpec

SECOND_US = [100, 200, 300, 400, 500, 1000] * 100
WORKER_CORES = (0.4, 0.2, 0.1, 0.1)
WORKER_CONNECTIONS = (60, 20, 10, 10)
BASE_DESCRIPTORS = 11


def nginx_columns(*, accepts_per_s: float = 0, active: float = 101) -> Columns:
    rate = len(SECOND_US)
    return [
        ("nginx_connections_active", {}, constant(active)),
        ("nginx_connections_reading", {}, constant(2)),
        ("nginx_connections_writing", {}, constant(31)),
        ("nginx_connections_waiting", {}, constant(68)),
        ("nginx_connections_accepted_total", {}, line(accepts_per_s, 101)),
        ("nginx_connections_handled_total", {}, line(accepts_per_s, 101)),
        ("nginx_http_requests_total", {}, line(rate + 1, 10_000)),
        ("ngxlab_stub_status_polls_total", {}, line(1, 5)),
    ]


def worker_columns() -> Columns:
    columns: list[Column] = []
    for index, (cores, connections) in enumerate(zip(WORKER_CORES, WORKER_CONNECTIONS, strict=True)):
        labels = {"role": "nginx-worker", "index": str(index)}
        columns += [
            ("ngxlab_process_run_seconds_total", labels, line(cores, 7)),
            ("ngxlab_process_run_delay_seconds_total", labels, line(0.005)),
            ("ngxlab_process_cpu_seconds_total", labels | {"mode": "user"}, line(cores / 4)),
            ("ngxlab_process_cpu_seconds_total", labels | {"mode": "system"}, line(cores * 3 / 4)),
            ("ngxlab_process_resident_memory_bytes", labels, constant(4096.0 * (index + 1))),
            ("ngxlab_process_read_bytes_total", labels, constant(4096)),
            ("ngxlab_process_open_fds", labels, _descriptors(connections)),
            ("ngxlab_process_threads", labels | {"state": "R"}, constant(1.0 if index == 0 else 0.0)),
            ("ngxlab_process_threads", labels | {"state": "S"}, constant(0.0 if index == 0 else 1.0)),
        ]
    generator = {"role": "generator", "index": "0", "stream": "main"}
    for mode, cores in (("user", 0.1), ("system", 0.2)):
        columns.append(("ngxlab_process_cpu_seconds_total", generator | {"mode": mode}, line(cores)))
    columns.append(("ngxlab_process_run_seconds_total", generator, line(0.3)))
    for thread in ("1", "2"):
        labels = {"role": "generator", "stream": "main", "thread": thread}
        columns.append(("ngxlab_thread_run_seconds_total", labels, line(0.15)))
    agent = {"role": "agent", "index": "0"}
    columns.append(("ngxlab_process_run_seconds_total", agent, line(0.004)))
    columns.append(("ngxlab_process_cpu_seconds_total", agent | {"mode": "user"}, line(0.004)))
    return columns


def host_columns(*, device: str = "eth0", overflows: float = 0, load: float = 0.1) -> Columns:
    return [
        ("node_cpu_seconds_total", {"cpu": "0", "mode": "user"}, line(0.35)),
        ("node_cpu_seconds_total", {"cpu": "0", "mode": "system"}, line(0.35)),
        ("node_cpu_seconds_total", {"cpu": "0", "mode": "idle"}, line(0.3)),
        ("node_cpu_seconds_total", {"cpu": "1", "mode": "user"}, line(0.2)),
        ("node_cpu_seconds_total", {"cpu": "1", "mode": "system"}, line(0.2)),
        ("node_cpu_seconds_total", {"cpu": "1", "mode": "idle"}, line(0.6)),
        ("node_load1", {}, constant(load)),
        ("node_network_receive_bytes_total", {"device": device}, line(1_000_000)),
        ("node_network_transmit_bytes_total", {"device": device}, line(2_000_000)),
        ("node_network_receive_bytes_total", {"device": "idle0"}, constant(99)),
        ("node_network_transmit_bytes_total", {"device": "idle0"}, constant(99)),
        ("node_sockstat_TCP_inuse", {}, constant(205)),
        ("node_sockstat_TCP_tw", {}, constant(40)),
        ("node_netstat_TcpExt_ListenOverflows", {}, line(overflows)),
        ("node_netstat_TcpExt_ListenDrops", {}, constant(0)),
        ("node_nf_conntrack_entries", {}, constant(100)),
        ("node_nf_conntrack_entries_limit", {}, constant(1000)),
    ]


@dataclass(frozen=True)
class Scenario:
    """``build()`` makes the record; replace what a test needs otherwise."""

    spec: TrialSpec = field(default_factory=builders.spec)
    nginx: Columns = field(default_factory=nginx_columns)
    processes: Columns = field(default_factory=worker_columns)
    host: Columns = field(default_factory=host_columns)
    latency: bool = True
    inventory: Inventory = field(default_factory=lambda: builders.inventory(speed_mbps=1000))
    pins: tuple[str, str] = ("0", "1")
    counts: tuple[int | None, int | None, int | None] = (7200, 7200, 7210)
    errors: dict[str, int] = field(default_factory=dict)
    extra: Sequence[Event] = ()
    clock_offset_us: int = 1_000

    def build(self) -> HostRecord:
        of = self.spec
        live, printed, stub = self.counts
        extra: list[Event] = [builders.process("nginx-worker", self.pins[0], index) for index in range(4)]
        extra.append(builders.process("generator", self.pins[1]))
        extra.append(builders.stream_result(live=live, printed=printed, stub=stub, **self.errors))
        extra.append(builders.artefact("nginx.conf", of.nginx.config if of.nginx else ""))
        collectors = [("stub_status", self.nginx), ("process", self.processes), ("host", self.host)]
        return builders.host(
            of,
            [builders.collector(of, columns, layout=i, name=name) for i, (name, columns) in enumerate(collectors)],
            builders.intervals(of, lambda t_s: SECOND_US) if self.latency else [],
            [*extra, *self.extra, builders.answer(200)],
            of_inventory=self.inventory,
            clock_offset_us=self.clock_offset_us,
        )


def closing_stream() -> StreamSpec:
    return StreamSpec(key="main", engine="wrk", threads=2, connections=100, keep_alive=False)


def _descriptors(connections: int) -> Value:
    return lambda t_s: float(BASE_DESCRIPTORS + (connections if t_s >= -2 else 0))
