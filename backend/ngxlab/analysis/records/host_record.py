"""What one host reported in one trial."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal
from uuid import UUID

from ngxlab_contracts.hosts import HostRole, Inventory
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import (
    ActionEvent,
    Answer,
    Artefact,
    CapacityFound,
    CapacityStep,
    CurveStep,
    Event,
    LatencyInterval,
    Layout,
    NginxMemory,
    NginxTotal,
    NoteEvent,
    PhaseEvent,
    ProcessEvent,
    Quantity,
    ServedRequests,
    ServerUse,
    StreamResult,
    TemporaryFiles,
    TlsUse,
)
from ngxlab_contracts.trials import NginxSpec, TrialSpec

from ngxlab.analysis.records.raw_series import SeriesIndex
from ngxlab.analysis.records.readings import FrameTable, StoredFrame, Window, tables_of
from ngxlab.analysis.records.stream_spans import Span, active_span, lasts_the_window


@dataclass(frozen=True)
class HostRecord:
    """Everything one host reported in one trial. Times are on the host's clock, microseconds.

    ``clock_offset_us`` is the backend's clock minus the host's. ``inventory``: as of the trial.
    ``frames`` or ``tables``: the readings, one by one or by layout.
    ``name`` is the name under which the host is registered. ``chosen``: see :func:`chosen_window.rewindowed`.
    """

    host_id: UUID
    spec: TrialSpec
    clock_offset_us: int
    inventory: Inventory | None
    layouts: Mapping[int, Layout]
    frames: Sequence[StoredFrame] = field(repr=False)
    intervals: Sequence[LatencyInterval] = field(repr=False)
    events: Sequence[Event] = field(repr=False)
    name: str | None = None
    tables: Mapping[int, FrameTable] = field(default_factory=dict, repr=False)
    chosen: Span | None = None

    @cached_property
    def series(self) -> SeriesIndex:
        """The columns of the frames, indexed once."""
        return SeriesIndex(self.layouts, {**tables_of(self.frames), **self.tables})

    @cached_property
    def window(self) -> Window | None:
        """The planned window, or the part of the load that was chosen in its place."""
        planned = self.planned_window
        if planned is None or self.chosen is None:
            return planned
        began_us = self.load_began_us if self.load_began_us is not None else planned.start_us
        start_us = max(planned.start_us + round(self.chosen.start_s * 1e6), began_us)
        end_us = min(planned.start_us + round(self.chosen.end_s * 1e6), planned.end_us)
        return Window(start_us, end_us) if end_us > start_us else None

    @cached_property
    def planned_window(self) -> Window | None:
        """From the ``measure`` event to the ``cooldown`` event; ``None`` if the window has no start or no end."""
        start, end = self.phase_at_us("measure"), self.phase_at_us("cooldown")
        return Window(start, end) if start is not None and end is not None and end > start else None

    @property
    def hostname(self) -> str | None:
        return self.inventory.hostname if self.inventory is not None else None

    @property
    def machine(self) -> str:
        """The same for hosts on one running kernel (network namespaces, containers)."""
        return self.inventory.boot_id if self.inventory is not None else str(self.host_id)

    @property
    def roles(self) -> list[HostRole]:
        """What this host does in the trial."""
        played: list[tuple[HostRole, bool]] = [
            ("target", self.spec.nginx is not None),
            ("generator", bool(self.spec.streams)),
            ("upstream", bool(self.spec.upstream_servers)),
        ]
        return [role for role, plays in played if plays]

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

    def during(self, span: Span) -> Window | None:
        """When a planned span took place on this host's clock, cut to the window; ``None`` if nothing is left."""
        if self.window is None or self.load_began_us is None:
            return None
        start_us = max(self.window.start_us, self.load_began_us + round(span.start_s * 1e6))
        end_us = min(self.window.end_us, self.load_began_us + round(span.end_s * 1e6))
        return Window(start_us, end_us) if end_us > start_us else None

    def active_window(self, stream: StreamSpec) -> Window | None:
        """The part of the window in which the plan runs a stream of this host."""
        if lasts_the_window(stream, self.spec.timing):
            return self.window
        span = active_span(stream, self.spec.timing)
        return self.during(span) if span is not None else None

    def phase_at_us(self, phase: str) -> int | None:
        """When the trial entered ``phase`` for the first time."""
        times = (event.t_us for event in self.events if isinstance(event, PhaseEvent) and event.phase == phase)
        return next(times, None)

    def processes(self) -> Iterator[ProcessEvent]:
        return (event for event in self.events if isinstance(event, ProcessEvent))

    def notes(self) -> Iterator[NoteEvent]:
        return (event for event in self.events if isinstance(event, NoteEvent))

    def actions(self) -> list[ActionEvent]:
        """The actions of perturbations by start time, each once, as last reported."""
        latest = {(e.perturbation, e.number): e for e in self.events if isinstance(e, ActionEvent)}
        return sorted(latest.values(), key=lambda action: action.t_us)

    def artefact(self, name: str) -> Artefact | None:
        artefacts = (event for event in self.events if isinstance(event, Artefact) and event.name == name)
        return next(artefacts, None)

    def stream_result(self, stream: str) -> StreamResult | None:
        results = (event for event in self.events if isinstance(event, StreamResult) and event.stream == stream)
        return next(results, None)

    def capacity_steps(self, stream: str) -> list[CapacityStep]:
        """The rates that a stream's search tried, in order, each once."""
        steps = {e.number: e for e in self.events if isinstance(e, CapacityStep) and e.stream == stream}
        return [steps[number] for number in sorted(steps)]

    def capacity_found(self, stream: str) -> CapacityFound | None:
        found = (event for event in self.events if isinstance(event, CapacityFound) and event.stream == stream)
        return next(found, None)

    def curve_steps(self, stream: str) -> list[CurveStep]:
        """The rates of a stream's curve as they were tried, each once."""
        steps = {e.number: e for e in self.events if isinstance(e, CurveStep) and e.stream == stream}
        return [steps[number] for number in sorted(steps)]

    def nginx_total(self) -> NginxTotal | None:
        return next((event for event in self.events if isinstance(event, NginxTotal)), None)

    def temporary_files(self) -> TemporaryFiles | None:
        return next((event for event in self.events if isinstance(event, TemporaryFiles)), None)

    def answer(self, stream: str) -> Answer | None:
        """What nginx answered to a request as the stream sends them, once the load had ended."""
        return next((event for event in self.events if isinstance(event, Answer) and event.stream == stream), None)

    def tls_use(self) -> TlsUse | None:
        return next((event for event in self.events if isinstance(event, TlsUse)), None)

    def served_requests(self) -> ServedRequests | None:
        """What nginx did with the requests of the planned window."""
        return next((event for event in self.events if isinstance(event, ServedRequests)), None)

    def nginx_memory(self, at: Literal["start", "end"]) -> NginxMemory | None:
        return next((event for event in self.events if isinstance(event, NginxMemory) and event.at == at), None)

    def server_use(self) -> ServerUse | None:
        return next((event for event in self.events if isinstance(event, ServerUse)), None)

    def window_intervals(self, stream: str | None = None, quantity: Quantity = "latency") -> list[LatencyInterval]:
        """Intervals of one quantity whose middle lies in the window, of one stream or of all."""
        return self.intervals_during(self.window, stream, quantity) if self.window is not None else []

    def intervals_during(
        self, window: Window, stream: str | None = None, quantity: Quantity = "latency"
    ) -> list[LatencyInterval]:
        """As :meth:`window_intervals`, for another window."""
        start, end = window
        return [
            interval
            for interval in self.intervals
            if start <= (interval.t0_us + interval.t1_us) // 2 < end
            and stream in (None, interval.stream)
            and interval.quantity == quantity
        ]
