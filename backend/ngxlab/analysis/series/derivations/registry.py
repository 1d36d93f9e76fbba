"""Which derivation reads which raw series. A derivation whose series is in a layout runs on each frame of it."""

from collections.abc import Collection

from ngxlab_contracts.telemetry import Layout

from ngxlab.analysis.series.derivations import host, nginx, process, streams, upstream
from ngxlab.analysis.series.derivations.step import Derivation, LayoutView, Memory, Step

# raw series, key of the lines, derivation
DERIVATIONS: tuple[tuple[str, str, Derivation], ...] = (
    ("nginx_http_requests_total", "requests_per_s_nginx", nginx.requests),
    ("nginx_connections_active", "nginx_connections", nginx.connections),
    ("nginx_connections_accepted_total", "accepts_per_s", nginx.accepts),
    ("upstream_http_requests_total", "upstream_requests_per_s", upstream.requests),
    ("upstream_connections_active", "upstream_connections", upstream.connections),
    ("node_cpu_seconds_total", "cpu_share", host.cpu_share),
    ("node_cpu_seconds_total", "cpu_busy_share", host.cpu_busy),
    ("node_pressure_cpu_waiting_seconds_total", "pressure_share", host.pressure_share),
    ("node_load1", "load_average", host.load_average),
    ("node_memory_MemAvailable_bytes", "memory_available_bytes", host.memory),
    ("node_disk_read_bytes_total", "disk_bytes_per_s", host.disk),
    ("node_network_receive_bytes_total", "network_bits_per_s", host.network),
    ("node_sockstat_TCP_inuse", "tcp_sockets", host.tcp_sockets),
    ("node_netstat_TcpExt_ListenOverflows", "tcp_problems_per_s", host.tcp_problems),
    ("node_softnet_dropped_total", "tcp_problems_per_s", host.tcp_problems),
    ("ngxlab_process_run_seconds_total", "worker_cpu_share", process.worker_cpu),
    ("ngxlab_process_run_seconds_total", "generator_cpu_share", process.generator_cpu),
    ("ngxlab_process_run_seconds_total", "upstream_cpu_share", process.upstream_cpu),
    ("ngxlab_process_run_delay_seconds_total", "run_delay_ms_per_s", process.worker_run_delay),
    ("ngxlab_process_resident_memory_bytes", "worker_memory_bytes", process.worker_memory),
    ("ngxlab_process_open_fds", "worker_connections", process.worker_connections),
    ("ngxlab_process_threads", "worker_threads", process.worker_threads),
    ("ngxlab_process_run_seconds_total", "agent_cpu_share", process.agent_cpu),
    ("ngxlab_stream_backlog", "stream_backlog", streams.backlog),
    ("ngxlab_stream_connections", "stream_connections", streams.connections),
    ("ngxlab_stream_errors_total", "stream_errors_per_s", streams.errors),
)


def derivations_for(view: LayoutView, keys: Collection[str] | None = None) -> list[Derivation]:
    """In the registry's order, each at most once; only those that yield one of ``keys``, if given."""
    wanted = (derive for name, key, derive in DERIVATIONS if name in view.columns and (keys is None or key in keys))
    return list(dict.fromkeys(wanted))


def columns_for(layout: Layout, keys: Collection[str] | None) -> list[int]:
    """Positions of the columns of a layout that lines of ``keys`` are made of, found by making them of zeros."""
    view, zeros = LayoutView(layout), [0.0] * len(layout.series)
    step = Step(view, t_us=0, dt_s=1.0, values=zeros, before=zeros, memory=Memory())
    for derive in derivations_for(view, keys):
        for _ in derive(step):
            pass
    return view.asked_for()
