"""Collects what a trial reports and writes it to the spool, batch by batch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ngxlab_contracts.telemetry import (
    MAX_EVENTS,
    MAX_FRAMES,
    MAX_INTERVALS,
    Artefact,
    Batch,
    Event,
    Frame,
    LatencyInterval,
    Layout,
    NoteEvent,
    PhaseEvent,
    TrialEnd,
)
from ngxlab_contracts.trials import SamplingSpec

from ngxlab_worker.collectors import Sample
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.core.programs import printable
from ngxlab_worker.uplink.spool import Spool

LONGEST_ARTEFACT = 262_144
LARGE_ARTEFACTS = 65_536
"""So much text of artefacts is a batch of its own; less goes with what else is reported, since each batch of events
takes the backend some milliseconds, in which the next trial waits."""
SHORTEST_PULSE_US = 490_000
"""Sending costs six times the CPU of reading, so faster samples share a batch: nobody looks ten times a second."""
EARLY_US = 10_000
"""A pulse that is due at the end of a collection may come this much before it."""


class Recorder:
    """``offset_us`` gives the backend's clock minus ``clock``; ``spooled`` is called after each batch.

    ``collect_s`` says for how long readings may now be collected into one batch.
    """

    def __init__(
        self,
        spool: Spool,
        clock: HostClock,
        offset_us: Callable[[], int],
        spooled: Callable[[], None],
        collect_s: Callable[[], float] = lambda: 0,
    ) -> None:
        self._spool = spool
        self._clock = clock
        self._offset_us = offset_us
        self._spooled = spooled
        self._collect_s = collect_s
        self._flushed_us = 0
        self._artefacts = 0
        self._layouts: list[Layout] = []
        self._frames: list[Frame] = []
        self._intervals: list[LatencyInterval] = []
        self._events: list[Event] = []

    def phase(
        self,
        phase: Literal["preparing", "ready", "warmup", "measure", "cooldown", "cleanup"],
        t_us: int | None = None,
    ) -> None:
        self.event(PhaseEvent(t_us=self._clock.now_us() if t_us is None else t_us, phase=phase))

    def note(self, severity: Literal["info", "warning", "error"], code: str, message: str) -> None:
        self.event(NoteEvent(t_us=self._clock.now_us(), severity=severity, code=code, message=printable(message)))

    def artefact(self, name: str, text: str) -> None:
        """Report ``text`` as a file of the trial, cut to the length that the contract allows."""
        kept, truncated = text[:LONGEST_ARTEFACT], len(text) > LONGEST_ARTEFACT
        self.event(Artefact(t_us=self._clock.now_us(), name=name, text=kept, truncated=truncated))
        self._artefacts += len(kept)
        if self._artefacts >= LARGE_ARTEFACTS:
            self.flush()

    def end(self, outcome: Literal["completed", "failed", "cancelled"], code: str, reason: str) -> None:
        """Report the last event; nothing may be recorded after it."""
        self.event(TrialEnd(t_us=self._clock.now_us(), outcome=outcome, code=code, reason=printable(reason)))
        self.flush()

    def end_without_data(self, outcome: Literal["completed", "failed", "cancelled"], code: str, reason: str) -> None:
        """The same where what was collected since the last batch cannot be stored."""
        self._layouts, self._frames, self._intervals, self._events = [], [], [], []
        self.end(outcome, code, reason)

    def event(self, event: Event) -> None:
        self._events.append(event)

    def sample(self, sample: Sample) -> None:
        self._layouts += sample.new_layouts
        self._frames += sample.frames
        self._events += sample.notes

    def intervals(self, intervals: list[LatencyInterval]) -> None:
        self._intervals += intervals

    def pulse(self) -> None:
        """Flush, unless the last flush was less than half a second ago, or less than readings may be collected for."""
        collect_us = round(self._collect_s() * 1e6) - EARLY_US
        if self._clock.now_us() - self._flushed_us >= max(SHORTEST_PULSE_US, collect_us):
            self.flush()

    def flush(self) -> None:
        """Write what was collected: one batch, or several where one would be too long."""
        while self._layouts or self._frames or self._intervals or self._events:
            events = 0 if self._is_behind() else MAX_EVENTS
            batch = Batch(
                seq=self._spool.next_seq,
                clock_offset_us=self._offset_us(),
                layouts=self._layouts,
                frames=self._frames[:MAX_FRAMES],
                intervals=self._intervals[:MAX_INTERVALS],
                events=self._events[:events],
            )
            self._spool.append(batch)
            self._layouts, self._frames = [], self._frames[MAX_FRAMES:]
            self._intervals, self._events = self._intervals[MAX_INTERVALS:], self._events[events:]
            self._flushed_us, self._artefacts = self._clock.now_us(), 0
            self._spooled()

    def _is_behind(self) -> bool:
        """Whether another batch of readings follows. Events wait for it: the end of a trial must come last."""
        return len(self._frames) > MAX_FRAMES or len(self._intervals) > MAX_INTERVALS


TOLERATED_US = 20_000
"""A load or a phase may begin this late without a note: the spread of starts that is allowed between hosts."""


@dataclass
class Punctuality:
    """Lateness in a trial's load. A late phase is noted at once; late readings are noted together, by :meth:`close`."""

    recorder: Recorder
    sampling: SamplingSpec
    late_readings: int = 0
    latest_us: int = 0

    def edge(self, what: str, code: str, late_us: int) -> bool:
        """Note that ``what`` happened ``late_us`` late, if that is too late; returns whether it is."""
        if late_us <= TOLERATED_US:
            return False
        self.recorder.note("warning", code, f"{what} {late_us // 1000} ms late")
        return True

    def away(self, late_us: int) -> bool:
        """Whether a reading is so late that the next one is due. It is then skipped, to spare a busy host."""
        if late_us <= self.sampling.interval_ms * 1000:
            return False
        self.reading(late_us)
        return True

    def reading(self, late_us: int) -> None:
        """Count a reading that was finished ``late_us`` late, if the analysis calls it missing: half an interval."""
        if 2 * late_us > self.sampling.interval_ms * 1000:
            self.late_readings += 1
            self.latest_us = max(self.latest_us, late_us)

    def close(self) -> None:
        """The load is over: note the late readings, if there were any."""
        if self.late_readings:
            message = f"{self.late_readings} readings were late or skipped, by up to {self.latest_us // 1000} ms"
            self.recorder.note("info", "late-readings", message)
