"""What nginx does inside: how its cache answers, what compression saves, how even its workers are, and its memory."""

from collections.abc import Mapping
from typing import get_args

from ngxlab_contracts.telemetry import CacheStatus, ServedRequests

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.summary.environment import directive_values
from ngxlab.analysis.summary.target import coefficient_of_variation

FEWEST_CONNECTIONS = 1_000
"""With fewer, what workers take anyway is more than what their connections do."""
_LOCKS = tuple(f"{module}_cache_lock" for module in ("proxy", "fastcgi", "uwsgi", "scgi"))


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    """Requests are those of the planned window: of another one, nothing is known."""
    target = record.target
    if target is None or target.window is None:
        return {}
    served = target.served_requests() if target.chosen is None else None
    of_requests = _of_requests(target, served) if served is not None and served.requests else {}
    return {**of_requests, **_memory(target)}


def _of_requests(target: HostRecord, served: ServedRequests) -> Mapping[str, float | None]:
    asked = sum(served.cache.values())
    statuses: tuple[CacheStatus, ...] = get_args(CacheStatus)
    cache = {f"cache_{one}_percent": 100 * served.cache.get(one, 0) / asked for one in statuses} if asked else {}
    locks = any("on" in directive_values(target.nginx.config, lock) for lock in _LOCKS)
    is_replaced = len(served.by_worker) != target.nginx.workers
    return {
        **cache,
        "cache_lock_waits_per_1000_requests": 1000 * served.held / served.requests if asked and locks else None,
        "compressed_percent": 100 * served.compressed / served.requests,
        "body_bytes": served.body_bytes / served.requests,
        "uncompressed_body_bytes": served.uncompressed_bytes / served.requests,
        "worker_requests_cv": None
        if is_replaced or len(served.by_worker) < 2
        else coefficient_of_variation(served.by_worker),
    }


def _memory(target: HostRecord) -> dict[str, float | None]:
    """At the end of the planned window; of a connection, what has grown since before the load."""
    before, after = target.nginx_memory("start"), target.nginx_memory("end")
    if after is None or target.chosen is not None:
        return {}
    active = _active(target)
    is_known = before is not None and before.workers == after.workers and active >= FEWEST_CONNECTIONS
    grown = after.own_bytes - before.own_bytes if before is not None else 0
    return {
        "worker_memory_bytes": float(after.own_bytes),
        "shared_zones_bytes": float(after.zones_bytes),
        "worker_memory_bytes_per_connection": grown / active if is_known else None,
    }


def _active(target: HostRecord) -> float:
    """Connections that clients had open at the last reading of the window."""
    if target.window is None:
        return 0.0
    readings = [column.within(target.window).values for column in target.series.find("nginx_connections_active")]
    return next((float(values[-1]) for values in readings if values.size), 0.0)
