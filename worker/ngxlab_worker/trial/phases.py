"""Counts where the time of requests goes, by the log of their phases (``NginxSpec.phases``)."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from ngxlab_contracts.profiles import PhaseName, Phases, PhaseTimes
from numpy.typing import NDArray

from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.nginx.access_log import LogError, LogTail, parse_phases
from ngxlab_worker.trial.recorder import Recorder
from ngxlab_worker.trial.request_times import on_clock

_EXACT_MS, _LONGEST_MS = 1_000, 3_600_000


class PhaseLog:
    """Call :meth:`read` now and then, :meth:`edge` as the measured window begins and as it ends, and :meth:`finish`
    when nginx has ended. A log that cannot be read is noted, and the trial goes on."""

    def __init__(self, log: Path, clock: HostClock, recorder: Recorder) -> None:
        self._log = LogTail(log)
        self._clock, self._recorder = clock, recorder
        self._edges: list[int] = []
        self._phases: dict[PhaseName, _Times] = {}
        self._whole = _Times()
        self._broken = False

    def read(self) -> None:
        if self._broken:
            return
        try:
            for lines in self._log.new_lines():
                self._count(lines)
        except (LogError, OSError) as error:
            self._broken = True
            self._recorder.note("warning", "phases-unreadable", f"nginx's log of phases: {error}")

    def edge(self, t_us: int) -> None:
        self._edges.append(t_us)

    def finish(self) -> None:
        self.read()
        self._log.close()
        if self._broken or len(self._edges) < 2:
            return
        begin_us, end_us = self._edges[:2]
        self._recorder.event(
            Phases(
                t_us=end_us,
                seconds=(end_us - begin_us) / 1e6,
                requests=self._whole.requests,
                whole=self._whole.told(),
                phases={name: times.told() for name, times in self._phases.items()},
            )
        )

    def _count(self, lines: bytes) -> None:
        """What ended within the window; before it has begun, nothing did."""
        if not self._edges:
            return
        found = parse_phases(lines)
        ended_us = on_clock(found.ended_ms, self._clock)
        inside = ended_us >= self._edges[0]
        if len(self._edges) > 1:
            inside &= ended_us < self._edges[1]
        phases: Mapping[PhaseName, NDArray[np.int64]] = {name: ms[inside] for name, ms in found.phases.items()}
        for name, ms in phases.items():
            self._phases.setdefault(name, _Times()).add(ms)
        self._whole.add(np.sum(list(phases.values()), axis=0))


class _Times:
    """Of one phase. ``add`` takes milliseconds, int64 (n,)."""

    def __init__(self) -> None:
        self._sum_ms = 0
        self._counts = np.zeros(_EXACT_MS, np.int64)

    @property
    def requests(self) -> int:
        return int(self._counts.sum())

    def add(self, ms: NDArray[np.int64]) -> None:
        self._sum_ms += int(ms.sum())
        more = np.bincount(_three_digits(ms), minlength=self._counts.size)
        more[: self._counts.size] += self._counts
        self._counts = more

    def told(self) -> PhaseTimes:
        (ms,) = np.nonzero(self._counts)
        return PhaseTimes(sum_ms=self._sum_ms, ms=ms.tolist(), counts=self._counts[ms].tolist())


def _three_digits(ms: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rounded down, so that long times take few places; none is negative, or longer than an hour."""
    bounded = np.clip(ms, 0, _LONGEST_MS)
    steps = np.array([1, 10, 100, 1_000, 10_000], np.int64)[
        np.searchsorted([_EXACT_MS, 10 * _EXACT_MS, 100 * _EXACT_MS, 1_000 * _EXACT_MS], bounded, side="right")
    ]
    return np.asarray(bounded // steps * steps, np.int64)
