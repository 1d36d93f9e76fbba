"""Which derivation reads which raw series. One that finds its series in a layout runs on each of its frames."""

from ngxlab.metrics.derivations import host, nginx, process
from ngxlab.metrics.derivations.step import Derivation, LayoutView

DERIVATIONS: tuple[tuple[str, Derivation], ...] = (
    ("nginx_http_requests_total", nginx.requests),
    ("nginx_connections_active", nginx.connections),
    ("nginx_connections_accepted_total", nginx.accepts),
    ("node_cpu_seconds_total", host.cpu_share),
    ("node_pressure_cpu_waiting_seconds_total", host.pressure_share),
    ("node_load1", host.load),
    ("node_memory_MemAvailable_bytes", host.memory),
    ("node_disk_read_bytes_total", host.disk),
    ("node_network_receive_bytes_total", host.network),
    ("node_sockstat_TCP_inuse", host.tcp_sockets),
    ("node_netstat_TcpExt_ListenOverflows", host.tcp_problems),
    ("node_softnet_dropped_total", host.tcp_problems),
    ("ngxlab_process_run_seconds_total", process.worker_cpu),
    ("ngxlab_process_run_seconds_total", process.generator_cpu),
    ("ngxlab_process_run_seconds_total", process.backend_cpu),
    ("ngxlab_process_run_delay_seconds_total", process.worker_run_delay),
    ("ngxlab_process_resident_memory_bytes", process.worker_memory),
    ("ngxlab_process_open_fds", process.worker_connections),
    ("ngxlab_process_threads", process.worker_threads),
    ("ngxlab_process_run_seconds_total", process.agent_cpu),
)


def derivations_for(view: LayoutView) -> list[Derivation]:
    """In the registry's order, each at most once."""
    return list(dict.fromkeys(derive for name, derive in DERIVATIONS if name in view.columns))
