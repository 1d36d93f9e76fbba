"""Held connections: how many the target holds, how much memory they take there, and how many were lost.

Only for trials with a stream that holds them: mostly idle, or as WebSockets. Memory at the end of the window is
compared with the last reading before the load, when nginx was running without connections. WebSockets are older than
that reading, so that memory is not known to have grown by them.
"""

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.hosts import HostRole
from ngxlab_contracts.streams import StreamSpec

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.records.readings import Window
from ngxlab.analysis.summary import host
from ngxlab.analysis.summary.websockets import holds_websockets, streams_of

_OWN_POLL = 1
"""Connections of the agent, over which it reads nginx's counts."""


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    target = record.target
    idle = any(map(_holds, streams_of(record)))
    if target is None or target.window is None or not idle:
        return {}
    cores = host.nginx_cores(target)
    of_load = {
        "generator_reconnects": _reconnects(record),
        "nginx_cpu_percent": 100 * cores if cores is not None else None,
    }
    if holds_websockets(record):
        return {**_websockets(target, target.window), **of_load}
    connections = _connections(target, target.window)
    return {**connections, **_memory(target, target.window, connections["connections_held"]), **of_load}


def _websockets(target: HostRecord, window: Window) -> dict[str, float | None]:
    """To nginx, they are active, and never wait."""
    active, (rss, _) = _at_end(target, window, "nginx_connections_active"), _resident(target, window, "nginx-worker")
    held = active - _OWN_POLL if active is not None else None
    return {
        "connections_held": held,
        "worker_rss_bytes": rss,
        "worker_rss_bytes_per_connection": rss / held if rss is not None and held else None,
    }


def _holds(stream: StreamSpec) -> bool:
    return ENGINES[stream.engine].loop == "hold" or stream.websocket is not None


def _reconnects(record: TrialRecord) -> float | None:
    """As the generators count them, over their whole life."""
    results = [
        host_record.stream_result(stream.key)
        for host_record in record.hosts
        for stream in host_record.spec.streams
        if _holds(stream)
    ]
    totals = [result.totals for result in results if result is not None and result.totals is not None]
    return float(sum(one.reconnects for one in totals)) if len(totals) == len(results) else None


def _connections(target: HostRecord, window: Window) -> dict[str, float | None]:
    """What the load added: the agent's own connections are older."""
    accepts, active = (_growth(target, window, f"nginx_connections_{name}") for name in ("accepted_total", "active"))
    requests = _growth(target, window, "nginx_http_requests_total")
    polls = _growth(target, window, "ngxlab_stub_status_polls_total")
    return {
        "connections_held": _at_end(target, window, "nginx_connections_waiting"),
        "connections_accepted": accepts,
        "connection_churn": accepts - active if accepts is not None and active is not None else None,
        "requests_since_start": requests - polls if requests is not None and polls is not None else None,
    }


def _memory(target: HostRecord, window: Window, held: float | None) -> dict[str, float | None]:
    """``held``: the connections by which bytes are divided; may be fewer than planned."""
    available = _growth(target, window, "node_memory_MemAvailable_bytes")
    slab = _growth(target, window, "node_memory_Slab_bytes")
    workers = _resident(target, window, "nginx-worker")
    generators = _resident(target, window, "generator") if _plays(target, "generator") else (0.0, 0.0)
    drop = -available if available is not None else None
    rss, rss_growth = workers
    kernel = None
    if drop is not None and rss_growth is not None and generators[1] is not None:
        kernel = drop - rss_growth - generators[1]
    return {
        "worker_rss_bytes": rss,
        "worker_rss_growth_bytes": rss_growth,
        "generator_rss_growth_bytes": generators[1] if _plays(target, "generator") else None,
        "memory_available_drop_bytes": drop,
        "slab_growth_bytes": slab,
        "kernel_memory_growth_bytes": kernel,
        "worker_rss_bytes_per_connection": rss / held if rss is not None and held else None,
        "memory_bytes_per_connection": drop / held if drop is not None and held else None,
    }


def _plays(target: HostRecord, role: HostRole) -> bool:
    return role in target.roles


def _at_end(target: HostRecord, window: Window, name: str) -> float | None:
    columns = [series.within(window).values for series in target.series.find(name)]
    last = [values[-1] for values in columns if values.size]
    return float(last[0]) if last else None


def _growth(target: HostRecord, window: Window, name: str) -> float | None:
    """The last reading in the window less the last one before the load."""
    began_us = target.load_began_us
    for series in target.series.find(name):
        before = series.last_before(began_us) if began_us is not None else None
        after = series.within(window).values
        if before is not None and after.size:
            return float(after[-1]) - before
    return None


def _resident(target: HostRecord, window: Window, role: str) -> tuple[float | None, float | None]:
    """Resident bytes of all processes of a role at the window's end, and their growth since before the load.

    The first counts shared pages once for each process; the growth is free of them.
    """
    began_us = target.load_began_us
    total, growth = 0.0, 0.0
    columns = target.series.find("ngxlab_process_resident_memory_bytes", role=role)
    for series in columns:
        before = series.last_before(began_us) if began_us is not None else None
        after = series.within(window).values
        if before is None or not after.size:
            return None, None
        total += float(after[-1])
        growth += float(after[-1]) - before
    return (total, growth) if columns else (None, None)
