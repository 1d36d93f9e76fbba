"""Connections that are held: how many, what they cost in memory on the target, and how many were lost on the way.

Only of trials with an idle-hold stream. Memory is read at the end of the window and compared with the last reading
before the load, when nginx was up and nothing connected.
"""

from ngxlab_contracts.hosts import HostRole

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.records.raw_series import Window
from ngxlab.analysis.summary import host


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    target = record.target
    idle = any(stream.idle_hold for part in record.hosts for stream in part.spec.streams)
    if target is None or target.window is None or not idle:
        return {}
    cores = host.nginx_cores(target)
    connections = _connections(target, target.window)
    return {
        **connections,
        **_memory(target, target.window, connections["connections_held"]),
        "generator_reconnects": _reconnects(record),
        "nginx_cpu_percent": 100 * cores if cores is not None else None,
    }


def _reconnects(record: TrialRecord) -> float | None:
    """As the generators count them themselves, over their whole life."""
    results = [
        part.stream_result(stream.key) for part in record.hosts for stream in part.spec.streams if stream.idle_hold
    ]
    totals = [result.totals for result in results if result is not None and result.totals is not None]
    return float(sum(one.reconnects for one in totals)) if len(totals) == len(results) else None


def _connections(target: HostRecord, window: Window) -> dict[str, float | None]:
    """What came with the load: the agent's own connections are older."""
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
    """``held``: what the bytes are divided by, which may be less than was asked for."""
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
    found = [one.within(window).values for one in target.series.find(name)]
    values = [values[-1] for values in found if values.size]
    return float(values[0]) if values else None


def _growth(target: HostRecord, window: Window, name: str) -> float | None:
    """A reading at the window's end less that before the load."""
    began_us = target.load_began_us
    for series in target.series.find(name):
        before = series.last_before(began_us) if began_us is not None else None
        after = series.within(window).values
        if before is not None and after.size:
            return float(after[-1]) - before
    return None


def _resident(target: HostRecord, window: Window, role: str) -> tuple[float | None, float | None]:
    """Resident bytes of all processes of a role together at the window's end, and what they grew by under the load.

    Shared pages count once a process; the growth is free of them.
    """
    began_us = target.load_began_us
    total, growth = 0.0, 0.0
    found = target.series.find("ngxlab_process_resident_memory_bytes", role=role)
    for series in found:
        before = series.last_before(began_us) if began_us is not None else None
        after = series.within(window).values
        if before is None or not after.size:
            return None, None
        total += float(after[-1])
        growth += float(after[-1]) - before
    return (total, growth) if found else (None, None)
