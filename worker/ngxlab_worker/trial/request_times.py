"""Reads nginx's access log during a load, and makes histograms of it for the same intervals as of the streams."""

import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from ngxlab_contracts.telemetry import LatencyInterval, Quantity
from numpy.typing import NDArray

from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.engines.histogram import Counts, HdrEncoder
from ngxlab_worker.nginx.access_log import LogError, LogTail, parse_block
from ngxlab_worker.trial.recorder import Recorder
from ngxlab_worker.trial.served import Served

STREAM = "nginx"
LINGER_US = 2_000_000
"""Lines appear up to a second late (``flush=1s``), or later where a worker was blocked: those are reported later."""
_HIGHEST_US = 3_600_000_000


@dataclass
class _Cut:
    """The times of requests that ended between two instants, as far as they have been read; milliseconds."""

    request_ms: list[NDArray[np.int64]] = field(default_factory=list)
    upstream_ms: list[NDArray[np.int64]] = field(default_factory=list)


def on_clock(ended_ms: NDArray[np.int64], clock: HostClock) -> NDArray[np.int64]:
    """nginx's times of day as microseconds of the trial's clock."""
    return ended_ms * 1000 - (time.time_ns() // 1000 - clock.now_us())


class RequestTimes:
    """Call :meth:`read` at each instant of ``clock`` that separates two intervals, first when the load begins, and
    :meth:`finish` when nginx has ended. What has been read is removed from the file, so that it takes no space.

    Times are nginx's, in milliseconds; nginx updates its clock once in each turn of its event loop. ``served``: where
    the log says what nginx did with requests, too, of which :meth:`edge` is told.
    """

    def __init__(self, log: Path, clock: HostClock, recorder: Recorder, served: Served | None = None) -> None:
        self._log = LogTail(log)
        self._clock = clock
        self._recorder = recorder
        self._served = served
        self._broken = False
        self._edges: list[int] = []
        self._cuts: dict[int, _Cut] = {}
        self._encoder = HdrEncoder(_HIGHEST_US)

    def read(self, t_us: int) -> None:
        self._take()
        self._edges.append(t_us)
        self._recorder.intervals(self._told(before_us=t_us - LINGER_US))

    def edge(self, t_us: int) -> None:
        """The measured window begins, or ends."""
        if self._served is not None:
            self._served.edge(t_us)

    def finish(self) -> None:
        self._take()
        self._recorder.intervals(self._told(before_us=None))
        self._log.close()
        if self._served is not None and not self._broken and (told := self._served.told()) is not None:
            self._recorder.event(told)

    def _take(self) -> None:
        """Read what is new. A log that cannot be read is noted once and then ignored: the trial goes on."""
        if self._broken:
            return
        try:
            for lines in self._log.new_lines():
                self._sort(lines)
        except (LogError, OSError) as error:
            self._broken = True
            self._recorder.note("warning", "request-times-unreadable", f"nginx's access log: {error}")

    def _sort(self, block: bytes) -> None:
        times = parse_block(block, served=self._served is not None)
        ended_us = on_clock(times.ended_ms, self._clock)
        if self._served is not None:
            self._served.count(times, ended_us)
        cut_of = np.searchsorted(np.array(self._edges, np.int64), ended_us, side="right") - 1
        for index in np.unique(cut_of):
            if index >= 0:
                inside = cut_of == index
                cut = self._cuts.setdefault(int(index), _Cut())
                cut.request_ms.append(times.request_ms[inside])
                upstream = times.upstream_ms[inside]
                cut.upstream_ms.append(upstream[upstream >= 0])

    def _told(self, before_us: int | None) -> list[LatencyInterval]:
        told = []
        for index in sorted(self._cuts):
            closed = index + 1 < len(self._edges)  # what ended after the last instant is not part of the load
            if not closed or (before_us is not None and self._edges[index + 1] > before_us):
                continue
            cut = self._cuts.pop(index)
            span = (self._edges[index], self._edges[index + 1])
            told.append(self._interval(span, "request_time", cut.request_ms))
            if any(part.size for part in cut.upstream_ms):
                told.append(self._interval(span, "upstream_time", cut.upstream_ms))
        return told

    def _interval(self, span: tuple[int, int], quantity: Quantity, parts: list[NDArray[np.int64]]) -> LatencyInterval:
        values, counts = np.unique(np.concatenate(parts), return_counts=True)
        counted = Counts(np.minimum(values * 1000, _HIGHEST_US), counts.astype(np.int64))
        return LatencyInterval(
            stream=STREAM,
            t0_us=span[0],
            t1_us=span[1],
            count=counted.total,
            histogram=self._encoder.encode(counted),
            quantity=quantity,
        )
