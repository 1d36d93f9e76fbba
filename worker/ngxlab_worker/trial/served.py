"""Counts what nginx did with the requests of the measured window, by the columns of its log that say so."""

from typing import get_args

import numpy as np
from ngxlab_contracts.telemetry import MOST_WORKERS, CacheStatus, ServedRequests
from numpy.typing import NDArray

from ngxlab_worker.nginx.access_log import RequestTimes

HELD_MS = 450
"""nginx looks every 500 ms whether a lock of its cache is free, by a clock that may be some milliseconds behind."""
_LARGEST = 1 << 40
"""Of any column: a log may be somebody else's."""
_STATUSES: tuple[CacheStatus, ...] = get_args(CacheStatus)


class Served:
    """Call :meth:`edge` as the measured window begins and as it ends, and :meth:`count` with all that is read.
    ``workers``: how many nginx has."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._edges: list[int] = []
        self._by_worker: dict[int, int] = {}
        self._cache = np.zeros(1 + len(_STATUSES), np.int64)
        self._held = self._compressed = self._body_bytes = 0
        self._uncompressed_bytes = 0.0

    def edge(self, t_us: int) -> None:
        self._edges.append(t_us)

    def count(self, times: RequestTimes, ended_us: NDArray[np.int64]) -> None:
        """What ended within the window; before it has begun, nothing did."""
        if not self._edges:
            return
        inside = ended_us >= self._edges[0]
        if len(self._edges) > 1:
            inside &= ended_us < self._edges[1]
        workers, statuses, ratios, sizes = np.clip(times.served[inside], -1, _LARGEST).T
        statuses = np.clip(statuses, 0, len(_STATUSES))
        for worker, requests in zip(*np.unique(workers, return_counts=True), strict=True):
            self._by_worker[int(worker)] = self._by_worker.get(int(worker), 0) + int(requests)
        self._cache += np.bincount(statuses, minlength=self._cache.size)
        own_ms = times.request_ms[inside] - np.maximum(times.upstream_ms[inside], 0)
        self._held += int(((statuses > 0) & (own_ms >= HELD_MS)).sum())
        self._compressed += int((ratios > 0).sum())
        self._body_bytes += int(sizes.sum())
        self._uncompressed_bytes += float((sizes * np.where(ratios > 0, ratios / 100, 1.0)).sum())

    def told(self) -> ServedRequests | None:
        """``None`` where the window has no end."""
        if len(self._edges) < 2:
            return None
        begin_us, end_us = self._edges[:2]
        idle = [0] * (self._workers - len(self._by_worker))
        return ServedRequests(
            t_us=end_us,
            seconds=(end_us - begin_us) / 1e6,
            requests=int(self._cache.sum()),
            by_worker=[*sorted(self._by_worker.values(), reverse=True), *idle][:MOST_WORKERS],
            cache={status: int(count) for status, count in zip(_STATUSES, self._cache[1:], strict=True) if count},
            held=self._held,
            compressed=self._compressed,
            body_bytes=self._body_bytes,
            uncompressed_bytes=round(self._uncompressed_bytes),
        )
