"""Inputs of the analysis: what is stored of a trial, read once by the caller. No database, no clock."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from uuid import UUID

from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.telemetry import (
    Artefact,
    Event,
    LatencyInterval,
    Layout,
    NoteEvent,
    PhaseEvent,
    ProcessEvent,
    StreamResult,
)
from ngxlab_contracts.trials import NginxSpec, TrialSpec

from ngxlab.analysis.raw_series import SeriesIndex, StoredFrame, Window

__all__ = ["HostRecord", "StoredFrame", "TrialRecord", "Window"]


@dataclass(frozen=True)
class HostRecord:
    """Everything one host reported in one trial. Times are on the host's clock, microseconds.

    ``clock_offset_us`` is the backend's clock minus the host's. ``inventory`` is that of the trial's time.
    """

    host_id: UUID
    spec: TrialSpec
    clock_offset_us: int
    inventory: Inventory | None
    layouts: Mapping[int, Layout]
    frames: Sequence[StoredFrame] = field(repr=False)
    intervals: Sequence[LatencyInterval] = field(repr=False)
    events: Sequence[Event] = field(repr=False)

    @cached_property
    def series(self) -> SeriesIndex:
        """The frames' columns, indexed once."""
        return SeriesIndex(self.layouts, self.frames)

    @cached_property
    def window(self) -> Window | None:
        """From the ``measure`` event to the ``cooldown`` event; ``None`` if the window never began or ended."""
        start, end = self.phase_at_us("measure"), self.phase_at_us("cooldown")
        return Window(start, end) if start is not None and end is not None and end > start else None

    @property
    def nginx(self) -> NginxSpec:
        """The nginx under test. Raises ValueError on a host that is not the target."""
        if self.spec.nginx is None:
            raise ValueError(f"host {self.host_id} is not the target of its trial")
        return self.spec.nginx

    @property
    def load_began_us(self) -> int | None:
        """When the generators started: the warm-up, or the window where there is no warm-up."""
        warmup = self.phase_at_us("warmup")
        return warmup if warmup is not None else self.phase_at_us("measure")

    def phase_at_us(self, phase: str) -> int | None:
        """When the trial entered ``phase`` for the first time."""
        times = (event.t_us for event in self.events if isinstance(event, PhaseEvent) and event.phase == phase)
        return next(times, None)

    def processes(self) -> Iterator[ProcessEvent]:
        return (event for event in self.events if isinstance(event, ProcessEvent))

    def notes(self) -> Iterator[NoteEvent]:
        return (event for event in self.events if isinstance(event, NoteEvent))

    def artefact(self, name: str) -> Artefact | None:
        found = (event for event in self.events if isinstance(event, Artefact) and event.name == name)
        return next(found, None)

    def stream_result(self, stream: str) -> StreamResult | None:
        found = (event for event in self.events if isinstance(event, StreamResult) and event.stream == stream)
        return next(found, None)

    def window_intervals(self, stream: str | None = None) -> list[LatencyInterval]:
        """Latency intervals whose middle lies in the window, of one stream or of all."""
        if self.window is None:
            return []
        start, end = self.window
        return [
            interval
            for interval in self.intervals
            if start <= (interval.t0_us + interval.t1_us) // 2 < end and stream in (None, interval.stream)
        ]


@dataclass(frozen=True)
class TrialRecord:
    """One trial with the records of its hosts. The first host is the target: its nginx is the one under test."""

    trial_id: UUID
    arm: str
    block: int
    position: int
    attempt: int
    state: str
    hosts: Sequence[HostRecord]

    @property
    def target(self) -> HostRecord | None:
        return self.hosts[0] if self.hosts else None
