"""What nginx does inside: how its cache answers, what compression saves, how even its workers are, and its memory."""

from collections.abc import Mapping
from typing import get_args

from ngxlab_contracts.telemetry import CacheStatus, ServedRequests

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.summary.environment import directive_values
from ngxlab.analysis.summary.target import coefficient_of_variation
from ngxlab.analysis.summary.websockets import holds_websockets, streams_of

FEWEST_CONNECTIONS = 1_000
"""With fewer, what workers take anyway is more than what their connections do."""
_LOCKS = tuple(f"{module}_cache_lock" for module in ("proxy", "fastcgi", "uwsgi", "scgi"))
_SLOW = ("limit_rate", "limit_req", "proxy_limit_rate", "fastcgi_limit_rate", "uwsgi_limit_rate", "scgi_limit_rate")
_PACKERS = ("gzip", "gzip_static", "brotli", "brotli_static", "zstd", "zstd_static")
"""What sets Content-Encoding; of these, ``gzip`` alone tells ``$gzip_ratio``."""
_PASSES = ("proxy_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass")
"""To what may compress."""


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    """Requests are those of the planned window: of another one, nothing is known. To nginx's log, a WebSocket is one
    request for as long as it lives."""
    target = record.target
    if target is None or target.window is None:
        return {}
    served = target.served_requests() if target.chosen is None and not holds_websockets(record) else None
    of_requests = _of_requests(record, target, served) if served is not None and served.requests else {}
    return {**of_requests, **_memory(target)}


def _of_requests(record: TrialRecord, target: HostRecord, served: ServedRequests) -> Mapping[str, float | None]:
    asked = sum(served.cache.values())
    statuses: tuple[CacheStatus, ...] = get_args(CacheStatus)
    cache = {f"cache_{one}_percent": 100 * served.cache.get(one, 0) / asked for one in statuses} if asked else {}
    is_replaced = len(served.by_worker) != target.nginx.workers or _began(target) > target.nginx.workers
    return {
        **cache,
        "cache_lock_waits_per_1000_requests": _lock_waits(record, target, served) if asked else None,
        "compressed_percent": 100 * served.compressed / served.requests,
        "body_bytes": served.body_bytes / served.requests,
        "uncompressed_body_bytes": None
        if _packs_elsewhere(record, target)
        else served.uncompressed_bytes / served.requests,
        "worker_requests_cv": None
        if is_replaced or len(served.by_worker) < 2
        else coefficient_of_variation(served.by_worker),
    }


def _began(target: HostRecord) -> int:
    """How many workers there were until the window's end, those that replaced others included."""
    end_us = target.window.end_us if target.window is not None else 0
    return len({one.pid for one in target.processes() if one.role == "nginx-worker" and one.t_us < end_us})


def _lock_waits(record: TrialRecord, target: HostRecord, served: ServedRequests) -> float | None:
    """At most so many; none without a lock. ``None`` where something else holds requests back as long."""
    config = target.nginx.config
    if not any("on" in directive_values(config, lock) for lock in _LOCKS):
        return 0.0
    is_paced = any(one.client is not None and one.client.read_bytes_per_s is not None for one in streams_of(record))
    if is_paced or any(directive_values(config, slow) for slow in _SLOW):
        return None
    return 1000 * served.held / served.requests


def _packs_elsewhere(record: TrialRecord, target: HostRecord) -> bool:
    """Whether a response may come compressed by what logs no ratio: another module, or a server behind."""
    if _packs(target.nginx.config, _PACKERS[1:]):
        return True
    behind = [server.config for host in record.hosts for server in host.spec.upstream_servers]
    passes = any(directive_values(target.nginx.config, name) for name in _PASSES)
    return passes and (not behind or any(_packs(config, _PACKERS) for config in behind))


def _packs(config: str, modules: tuple[str, ...]) -> bool:
    return any(value != "off" for module in modules for value in directive_values(config, module))


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
