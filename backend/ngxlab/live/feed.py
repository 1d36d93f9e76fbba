"""One run's telemetry as live events: derived once, kept for all viewers of this process."""

import asyncio
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from ngxlab_contracts.telemetry import Batch, Event, LatencyInterval, Layout, NoteEvent
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from ngxlab.analysis.records.readings import StoredFrame
from ngxlab.analysis.series.action_marks import ActionMarker
from ngxlab.analysis.series.derive import SeriesDeriver, downsample
from ngxlab.analysis.series.schemas import DerivedPoint
from ngxlab.core.database import Database, one_snapshot
from ngxlab.hosts.repository import host_by_id
from ngxlab.live.searches import CurveFollower, SearchFollower
from ngxlab.metrics import repository as metrics
from ngxlab.metrics.damage import Damage
from ngxlab.runs import repository as runs
from ngxlab.runs.models import Trial, TrialHost, spec_of


class LiveBatch(BaseModel):
    """A stored batch that viewers are to see."""

    trial_id: UUID
    host_id: UUID
    batch: Batch


def live_batch_json(trial_id: UUID, host_id: UUID, batch: bytes) -> str:
    """A :class:`LiveBatch` as JSON. ``batch`` is the JSON of a validated Batch, inserted as it is: serialising a large
    one again would take as long as parsing it."""
    return f'{{"trial_id":"{trial_id}","host_id":"{host_id}","batch":{batch.decode()}}}'


_RESUMABLE = frozenset({"points", "note", "action", "search", "curve"})
"""Only telemetry has a position to resume from: the run's state may be ahead of points that are still to come."""


@dataclass(frozen=True)
class LiveEvent:
    """``seq`` is the stream position from which a viewer may resume; ``data`` is JSON text."""

    seq: int
    event: str
    data: str

    @cached_property
    def wire(self) -> bytes:
        """As it is sent: written once, whoever many receive it."""
        position = f"id: {self.seq}\n" if self.event in _RESUMABLE else ""
        return f"{position}event: {self.event}\ndata: {self.data}\n\n".encode()


POINTS_A_LINE = 300
"""The length of a line's older part: a live chart has some hundred pixels, and later it shows what is stored."""
ROOM = 20_000
"""Points that are kept as they came, at least."""


class TrialLog:
    """Events in order. Once there are too many points, the older three quarters become one event with downsampled
    lines, so that who comes to a trial of hours is told no more of it than a chart can show."""

    def __init__(self) -> None:
        self._events: list[LiveEvent] = []
        self._points = 0
        self._most = ROOM

    def add(self, events: Iterable[LiveEvent], points: int) -> None:
        """``points``: how many there are in the events."""
        self._events += events
        self._points += points
        if self._points > self._most:
            self._thin()

    def after(self, seq: int) -> list[LiveEvent]:
        """Events of later positions."""
        return [event for event in self._events if event.seq > seq]

    def _thin(self) -> None:
        cut = len(self._events) * 3 // 4
        older, recent = self._events[:cut], self._events[cut:]
        dense = [event for event in older if event.event == "points"]
        if not dense:
            return
        merged, kept = _merged(dense)
        before = [event for event in older if event.event != "points" and event.seq < merged.seq]
        after = [event for event in older if event.event != "points" and event.seq >= merged.seq]
        self._events = [*before, merged, *after, *recent]
        self._points = kept + sum(_count(event) for event in recent if event.event == "points")
        self._most = max(ROOM, 2 * self._points)  # so that thinning costs each point a bounded share


def _merged(events: list[LiveEvent]) -> tuple[LiveEvent, int]:
    """One event, of the last position, with the downsampled lines of all; and how many points it has."""
    contents = [json.loads(event.data) for event in events]
    lines: dict[tuple[str, str, str], list[tuple[float, float | None]]] = {}
    for point in chain.from_iterable(content["points"] for content in contents):
        line = lines.setdefault((point["key"], point["label"], point["unit"]), [])
        line.append((point["t_s"], point["value"]))
    points: list[dict[str, Any]] = [
        {"key": key, "label": label, "unit": unit, "t_s": t_s, "value": value}
        for (key, label, unit), line in lines.items()
        for t_s, value in downsample(line, POINTS_A_LINE)
    ]
    content = {**contents[0], "points": points}
    return LiveEvent(events[-1].seq, "points", json.dumps(content, separators=(",", ":"))), len(points)


def _count(event: LiveEvent) -> int:
    return event.data.count('"t_s":')


log = structlog.get_logger()

Key = tuple[UUID, UUID]
"""A trial, and one of its hosts."""


@dataclass
class _FeedState:
    """The derivers of one host's telemetry in a trial, what they gave, and the last position they have processed.

    ``read_seq``: the run's position when what was stored before was read.
    """

    deriver: SeriesDeriver
    marker: ActionMarker
    searches: SearchFollower
    curves: CurveFollower
    trial: dict[str, Any]
    read_seq: int
    log: TrialLog = field(default_factory=TrialLog)
    fed_seq: int = 0


class _Batch(NamedTuple):
    layouts: list[Layout]
    frames: list[StoredFrame]
    intervals: list[LatencyInterval]
    events: list[Event]


class TrialFeeds:
    """Turns raw batches into points, notes and marks. A trial joined midway is first derived from the database.

    What is returned as new was not returned before, whatever is read again.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self.ended = 0
        """The number of times that trials were dropped."""
        self._since = 0
        self._states: dict[Key, _FeedState] = {}
        self._told: dict[Key, int] = {}
        self._deriving = asyncio.Lock()

    def begin(self, seq: int) -> None:
        """What has a position up to this one is not new to anybody: who comes later reads it in the log."""
        self._since = seq

    async def from_message(self, seq: int, live: LiveBatch) -> list[LiveEvent]:
        """The new events of one published batch, and of those before it that were missed."""
        key = (live.trial_id, live.host_id)
        new = [] if key in self._states else await self._derive_trial(live.trial_id)
        state = self._states.get(key)
        if state is None or seq <= max(state.fed_seq, state.read_seq):
            return new
        sent = live.batch
        frames = [StoredFrame(frame.layout, frame.t_us, frame.took_us, frame.values) for frame in sent.frames]
        batch = _Batch(sent.layouts, frames, sent.intervals, sent.events)
        return [*new, *self._new(key, self._feed(state, seq, batch, _read_at_us(sent)))]

    async def have_read_to(self, seq: int) -> bool:
        """Whether whatever of the trials in the log has a position up to this one was read with them."""
        async with self._deriving:
            return all(state.read_seq >= seq for state in self._states.values())

    async def derive(self, trial_ids: Collection[UUID]) -> list[LiveEvent]:
        """Have these trials in the log. The new events."""
        known = {trial_id for trial_id, _ in self._states}
        return [event for id_ in trial_ids if id_ not in known for event in await self._derive_trial(id_)]

    def logged(self, after_seq: int) -> list[LiveEvent]:
        """What is kept of the trials that go on, after a position, in order."""
        events = (event for state in self._states.values() for event in state.log.after(after_seq))
        return sorted(events, key=lambda event: event.seq)

    async def of_others(self, run_id: UUID, after_seq: int) -> list[LiveEvent]:
        """Stored events after a position, of all trials that are not in the log."""
        return [event for _, events in await self._of_others(run_id, after_seq) for event in events]

    async def missed_of_others(self, run_id: UUID, after_seq: int) -> list[LiveEvent]:
        """The new ones of these events."""
        found = await self._of_others(run_id, after_seq)
        return [event for key, events in found for event in self._new(key, events)]

    def keep_only(self, trial_ids: Collection[UUID]) -> None:
        """The others have ended: their points are read as stored series."""
        over = [key for key in self._states if key[0] not in trial_ids]
        for key in over:
            del self._states[key]
        self.ended += len(over)

    def forget(self) -> None:
        """Start again from the database (after missed messages)."""
        self._states.clear()

    def _new(self, key: Key, events: Iterable[LiveEvent]) -> list[LiveEvent]:
        told = self._told.get(key, self._since)
        new = [event for event in events if event.seq > told]
        self._told[key] = max([told, *(event.seq for event in new)])
        return new

    async def _derive_trial(self, trial_id: UUID) -> list[LiveEvent]:
        async with self._deriving:
            async with self.database.transaction() as session:
                trial = await runs.trial(session, trial_id)
            new: list[LiveEvent] = []
            if trial is None:
                return new
            for trial_host in trial.hosts:
                key = (trial_id, trial_host.host_id)
                if key not in self._states and (state := await self._derive_if_sound(trial, trial_host)) is not None:
                    self._states[key] = state
                    new += self._new(key, state.log.after(0))
            return new

    async def _of_others(self, run_id: UUID, after_seq: int) -> list[tuple[Key, list[LiveEvent]]]:
        known = {trial_id for trial_id, _ in self._states}
        async with self._deriving:
            async with self.database.transaction() as session:
                trials = [trial for trial in await runs.trials(session, run_id) if trial.id not in known]
                newer = [t for t in trials if await metrics.last_live_seq(session, t.id) > after_seq]
            found = []
            for trial in newer:
                for trial_host in trial.hosts:
                    if (state := await self._derive_if_sound(trial, trial_host)) is not None:
                        found.append(((trial.id, trial_host.host_id), state.log.after(after_seq)))
            return found

    async def _derive_if_sound(self, trial: Trial, trial_host: TrialHost) -> _FeedState | None:
        """Data that cannot be read costs its own trial's points and no other's."""
        try:
            return await self._derive_stored(trial, trial_host)
        except (SQLAlchemyError, OSError):
            raise
        except Exception:
            log.exception("trial cannot be shown", trial_id=str(trial.id), host_id=str(trial_host.host_id))
            return None

    async def _derive_stored(self, trial: Trial, trial_host: TrialHost) -> _FeedState:
        host = await self._host_name(trial_host)
        # The lines of hosts other than the target begin with the host's name.
        spec = spec_of(trial, trial_host)
        label = host if spec.nginx is None else None
        read_seq, batches = await _stored_batches(self.database, trial, trial_host.host_id)
        state = _FeedState(
            SeriesDeriver(spec, label),
            ActionMarker(host),
            SearchFollower(spec),
            CurveFollower(spec),
            {"trial_id": str(trial.id), "arm": trial.arm, "block": trial.block},
            read_seq,
        )
        for seq, batch in sorted(batches.items()):
            self._feed(state, seq, batch)
            await asyncio.sleep(0)  # a long replay must not starve the other viewers
        return state

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
        live_events, kept = [], []
        if points:
            text = _points_json(state.trial, points)
            kept.append(LiveEvent(seq, "points", text))
            live_events.append(kept[0] if read_at_us is None else LiveEvent(seq, "points", _dated(text, read_at_us)))
        for mark in state.marker.feed(batch.events):
            live_events.append(LiveEvent(seq, "action", json.dumps({**state.trial, **mark.model_dump()})))
        for name, follower in (("search", state.searches), ("curve", state.curves)):
            for news in follower.feed(batch.events):
                live_events.append(LiveEvent(seq, name, json.dumps({**state.trial, **news})))
        for event in batch.events:
            if isinstance(event, NoteEvent):
                note = {"severity": event.severity, "code": event.code, "message": event.message}
                live_events.append(LiveEvent(seq, "note", json.dumps({**state.trial, **note})))
        state.log.add([*kept, *live_events[len(kept) :]], len(points))
        return live_events


def _read_at_us(batch: Batch) -> int | None:
    """The time of a batch's newest reading, by the backend's clock."""
    times = [frame.t_us for frame in batch.frames] + [interval.t1_us for interval in batch.intervals]
    return max(times) + batch.clock_offset_us if times else None


def _points_json(trial: dict[str, Any], points: list[DerivedPoint]) -> str:
    return json.dumps({**trial, "points": [point.model_dump() for point in points]}, separators=(",", ":"))


def _dated(points_json: str, read_at_us: int) -> str:
    """Adds the time of reading to points that come as they are measured; for points of the log it would say nothing."""
    return f'{points_json[:-1]},"read_at_us":{read_at_us}}}'


async def _stored_batches(database: Database, trial: Trial, host_id: UUID) -> tuple[int, dict[int, _Batch]]:
    """The position that the run has reached, and a trial's raw data by its own, none of which is beyond that."""
    trial_id = trial.id
    async with database.transaction() as session:
        # One snapshot, so that a batch stored between two of these queries is not read in part.
        await one_snapshot(session)
        damage = Damage()
        layouts = await metrics.layouts(session, trial_id, host_id, damage)
        frames = await metrics.frames(session, trial_id, host_id, layouts, damage)
        intervals = await metrics.intervals(session, trial_id, host_id, damage)
        events = await metrics.events(session, trial_id, host_id, damage)
        newest = await runs.live_seq(session, trial.run_id)
    batches: dict[int, _Batch] = {}

    def batch(seq: int) -> _Batch:
        return batches.setdefault(min(seq, newest), _Batch([], [], [], []))

    for seq, frame in frames:
        batch(seq).frames.append(frame)
    for seq, interval in intervals:
        batch(seq).intervals.append(interval)
    for seq, event in events:
        batch(seq).events.append(event)
    if batches:
        batches[min(batches)].layouts.extend(layouts.values())
        batches[max(batches)].events.extend(damage.notes())
    return newest, batches
