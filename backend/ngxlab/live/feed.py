"""One run's live stream inside one backend process: derived once, sent to every viewer of this process."""

import asyncio
import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from ngxlab_contracts.telemetry import Batch, Event, LatencyInterval, Layout, NoteEvent
from sqlalchemy.exc import SQLAlchemyError

from ngxlab.analysis.records.readings import StoredFrame
from ngxlab.analysis.series.action_marks import ActionMarker
from ngxlab.analysis.series.derive import SeriesDeriver
from ngxlab.analysis.series.schemas import DerivedPoint
from ngxlab.core.database import Database, one_snapshot
from ngxlab.hosts.repository import host_by_id
from ngxlab.live.messages import LiveBatch
from ngxlab.metrics import repository as metrics
from ngxlab.metrics.damage import Damage
from ngxlab.runs import repository as runs
from ngxlab.runs.models import Trial, TrialHost
from ngxlab.runs.readable import spec_of

log = structlog.get_logger()


class LiveEvent(NamedTuple):
    """``seq`` is the stream position from which a viewer may resume; ``data`` is JSON text."""

    seq: int
    event: str
    data: str


@dataclass
class _FeedState:
    """The derivers of one host's telemetry in a trial, and the last position they have processed."""

    deriver: SeriesDeriver
    marker: ActionMarker
    trial: dict[str, Any]
    fed_seq: int = 0


class _Batch(NamedTuple):
    layouts: list[Layout]
    frames: list[StoredFrame]
    intervals: list[LatencyInterval]
    events: list[Event]


@dataclass
class TrialFeeds:
    """Turns raw batches into points, notes and marks. A trial joined midway is first derived from the database."""

    database: Database
    _states: dict[tuple[UUID, UUID], _FeedState] = field(default_factory=dict)

    async def from_message(self, seq: int, live: LiveBatch) -> list[LiveEvent]:
        """The live events of one published batch."""
        key = (live.trial_id, live.host_id)
        state = self._states.get(key)
        if state is None:
            return [event for event in await self._prime(*key) if event.seq >= seq]
        if seq <= state.fed_seq:
            return []
        sent = live.batch
        frames = [StoredFrame(frame.layout, frame.t_us, frame.took_us, frame.values) for frame in sent.frames]
        batch = _Batch(sent.layouts, frames, sent.intervals, sent.events)
        return self._feed(state, seq, batch, _read_at_us(sent))

    async def replay(self, run_id: UUID, after_seq: int, trial_ids: set[UUID] | None = None) -> list[LiveEvent]:
        """Stored live events after a position, of all trials that have any, or of ``trial_ids``."""
        async with self.database.transaction() as session:
            trials = await runs.trials(session, run_id)
            wanted = [trial for trial in trials if trial_ids is None or trial.id in trial_ids]
            newer = [t for t in wanted if await metrics.last_live_seq(session, t.id) > after_seq]
        live_events: list[LiveEvent] = []
        for trial in newer:
            for trial_host in trial.hosts:
                live_events += [
                    event for event in await self._derive_if_sound(trial, trial_host) if event.seq > after_seq
                ]
        return sorted(live_events, key=lambda event: event.seq)

    def forget(self) -> None:
        """Start again from the database with the next message (after missed messages)."""
        self._states.clear()

    async def _prime(self, trial_id: UUID, host_id: UUID) -> list[LiveEvent]:
        async with self.database.transaction() as session:
            trial = await runs.trial(session, trial_id)
        trial_host = next((p for p in trial.hosts if p.host_id == host_id), None) if trial else None
        if trial is None or trial_host is None:
            return []
        return await self._derive_if_sound(trial, trial_host, keep=True)

    async def _derive_if_sound(self, trial: Trial, trial_host: TrialHost, *, keep: bool = False) -> list[LiveEvent]:
        """Data that cannot be read costs its own trial's points and no other's."""
        try:
            return await self._derive_stored(trial, trial_host, keep=keep)
        except (SQLAlchemyError, OSError):
            raise
        except Exception:
            log.exception("trial cannot be shown", trial_id=str(trial.id), host_id=str(trial_host.host_id))
            return []

    async def _derive_stored(self, trial: Trial, trial_host: TrialHost, *, keep: bool = False) -> list[LiveEvent]:
        host = await self._host_name(trial_host)
        # The lines of hosts other than the target begin with the host's name.
        spec = spec_of(trial, trial_host)
        label = host if spec.nginx is None else None
        state = _FeedState(
            SeriesDeriver(spec, label),
            ActionMarker(host),
            {"trial_id": str(trial.id), "arm": trial.arm, "block": trial.block},
        )
        batches = await _stored_batches(self.database, trial.id, trial_host.host_id)
        live_events = []
        for seq, batch in sorted(batches.items()):
            live_events += self._feed(state, seq, batch)
            await asyncio.sleep(0)  # a long replay must not starve the other viewers
        if keep:
            self._states[(trial.id, trial_host.host_id)] = state
        return live_events

    async def _host_name(self, trial_host: TrialHost) -> str:
        async with self.database.transaction() as session:
            host = await host_by_id(session, trial_host.host_id)
            return host.name if host is not None else str(trial_host.host_id)

    @staticmethod
    def _feed(state: _FeedState, seq: int, batch: _Batch, read_at_us: int | None = None) -> list[LiveEvent]:
        state.fed_seq = seq
        try:
            points = state.deriver.feed(batch.layouts, batch.frames, batch.intervals, batch.events)
        except Exception:
            log.exception("batch cannot be shown", seq=seq, **state.trial)
            return []
        live_events = []
        if points:
            live_events.append(LiveEvent(seq, "points", _points_json(state.trial, points, read_at_us)))
        for mark in state.marker.feed(batch.events):
            live_events.append(LiveEvent(seq, "action", json.dumps({**state.trial, **mark.model_dump()})))
        for event in batch.events:
            if isinstance(event, NoteEvent):
                note = {"severity": event.severity, "code": event.code, "message": event.message}
                live_events.append(LiveEvent(seq, "note", json.dumps({**state.trial, **note})))
        return live_events


def _read_at_us(batch: Batch) -> int | None:
    """When the host took the newest reading of a batch, by the backend's clock."""
    times = [frame.t_us for frame in batch.frames] + [interval.t1_us for interval in batch.intervals]
    return max(times) + batch.clock_offset_us if times else None


def _points_json(trial: dict[str, Any], points: list[DerivedPoint], read_at_us: int | None) -> str:
    """``read_at_us`` is left out where points come from the database: how long they lay there says nothing."""
    content = {**trial, "points": [point.model_dump() for point in points]}
    if read_at_us is not None:
        content["read_at_us"] = read_at_us
    return json.dumps(content, separators=(",", ":"))


async def _stored_batches(database: Database, trial_id: UUID, host_id: UUID) -> dict[int, _Batch]:
    """A trial's raw data by its position in the live stream."""
    async with database.transaction() as session:
        # One snapshot, so that a batch stored between two of these queries is not read in part.
        await one_snapshot(session)
        damage = Damage()
        layouts = await metrics.layouts(session, trial_id, host_id, damage)
        frames = await metrics.frames(session, trial_id, host_id, layouts, damage)
        intervals = await metrics.intervals(session, trial_id, host_id, damage)
        events = await metrics.events(session, trial_id, host_id, damage)
    batches: dict[int, _Batch] = {}

    def batch(seq: int) -> _Batch:
        return batches.setdefault(seq, _Batch([], [], [], []))

    for seq, frame in frames:
        batch(seq).frames.append(frame)
    for seq, interval in intervals:
        batch(seq).intervals.append(interval)
    for seq, event in events:
        batch(seq).events.append(event)
    if batches:
        batches[min(batches)].layouts.extend(layouts.values())
        batches[max(batches)].events.extend(damage.notes())
    return batches


@dataclass(eq=False)
class Viewer:
    """One browser's queue. A viewer that cannot keep up must reconnect and resume, so that its queue stays small."""

    queue: deque[LiveEvent] = field(default_factory=deque)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    overflowed: bool = False

    LIMIT = 2_000

    def give(self, event: LiveEvent) -> None:
        if len(self.queue) >= self.LIMIT:
            self.overflowed = True
        else:
            self.queue.append(event)
        self.wake.set()
