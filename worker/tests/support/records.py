"""What the fake backend knows of a trial, a record for each host."""

import time
from dataclasses import dataclass, field

from ngxlab_contracts.coordination import TrialStatus
from ngxlab_contracts.telemetry import (
    Batch,
    EndpointEvent,
    Event,
    LatencyInterval,
    PhaseEvent,
    StreamResult,
    TrialEnd,
)
from ngxlab_contracts.trials import Endpoint, TrialCommand, TrialControl, TrialSpec

START_LEAD_US = 40_000


def now_us() -> int:
    return time.time_ns() // 1000


@dataclass
class TrialRecord:
    """What the backend knows of one trial on one host. ``others``: the same trial on its other hosts.

    ``announced``: endpoints that it tells this host of, whichever host has them.
    """

    spec: TrialSpec
    command: TrialCommand = "continue"
    start_at_us: int | None = None
    auto_start: bool = True
    refusing: bool = False
    claims: int = 0
    refusal: str | None = None
    batches: list[Batch] = field(default_factory=list)
    received_at: list[float] = field(default_factory=list)
    others: list["TrialRecord"] = field(default_factory=list)
    announced: list[Endpoint] = field(default_factory=list)

    @property
    def events(self) -> list[Event]:
        return [event for batch in self.batches for event in batch.events]

    @property
    def intervals(self) -> list[LatencyInterval]:
        return [interval for batch in self.batches for interval in batch.intervals]

    @property
    def phases(self) -> dict[str, int]:
        return {event.phase: event.t_us for event in self.events if isinstance(event, PhaseEvent)}

    @property
    def end(self) -> TrialEnd | None:
        return next((event for event in self.events if isinstance(event, TrialEnd)), None)

    def notes(self) -> list[str]:
        return [event.code for event in self.events if event.kind == "note"]

    def frames_of(self, collector: str) -> int:
        """How many readings of it there are."""
        layouts = {layout.id for batch in self.batches for layout in batch.layouts if layout.collector == collector}
        return sum(frame.layout in layouts for batch in self.batches for frame in batch.frames)

    @property
    def ready(self) -> bool:
        return "ready" in self.phases

    @property
    def endpoints(self) -> list[Endpoint]:
        announced = [event for event in self.events if isinstance(event, EndpointEvent)]
        return [Endpoint(name=event.name, address=event.address, ports=event.ports) for event in announced]

    @property
    def streams_done(self) -> bool:
        """All its streams have ended, or it has none."""
        results = sum(isinstance(event, StreamResult) for event in self.events)
        return self.end is not None or results == len(self.spec.streams)

    def control(self) -> TrialControl:
        """The backend's orders for this host."""
        endpoints = [*self.announced, *(endpoint for other in self.others for endpoint in other.endpoints)]
        loading = [other for other in self.others if other.spec.streams]
        streams_done = bool(loading) and all(other.streams_done for other in loading)
        return TrialControl(
            command=self.command,
            start_at_us=self.start_at_us,
            endpoints=endpoints,
            streams_done=streams_done,
            revision=len(endpoints) + (self.start_at_us is not None) + streams_done,
        )

    def start_when_all_are_ready(self) -> None:
        parts = [self, *self.others]
        if self.start_at_us is None and all(part.ready and part.auto_start for part in parts):
            start_at_us = now_us() + START_LEAD_US
            for part in parts:
                part.start_at_us = start_at_us

    def status(self) -> TrialStatus:
        state = "ended" if self.end else next(reversed(self.phases), "preparing" if self.claims else "dispatched")
        return TrialStatus(trial_id=self.spec.trial_id, state=state, ready=self.ready, ended=self.end is not None)
