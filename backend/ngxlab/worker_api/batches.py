"""The batches of telemetry that agents report: stored once, in order, and passed on to viewers.

Each host of a trial sends one every second, or every few. One statement takes its number and stores its readings and
latencies, or says why not. It is a transaction by itself, unless a batch has more: layouts, events, more values than
a statement takes well, or something to refuse. That follows in the same transaction.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import NamedTuple
from uuid import UUID

from ngxlab_contracts.telemetry import Batch, ProcessEvent, StreamResult
from ngxlab_contracts.trials import BatchAck, TrialControl
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.series.derivations.latency import NGINX_STREAM
from ngxlab.analysis.statistics import histograms
from ngxlab.core.bus import LiveMessage
from ngxlab.core.database import Database, after_commit, ask_in
from ngxlab.core.errors import Conflict, Invalid, NotFound
from ngxlab.core.threads import beside
from ngxlab.live.feed import live_batch_json
from ngxlab.metrics import repository as metrics
from ngxlab.metrics import storing
from ngxlab.runs import repository as runs
from ngxlab.runs.transitions import advance
from ngxlab.runs.watch import lost_trials
from ngxlab.runs.watch.live_checks import check_while_measured
from ngxlab.worker_api import repository
from ngxlab.worker_api.access import registered_host
from ngxlab.worker_api.control import UNWANTED, Other, locked_trial_host, orders
from ngxlab.worker_api.repository import Ask, TakenBatch

_UNPACKED = 8
"""Times as large, roughly: a histogram comes compressed."""


async def require_histograms(batch: Batch) -> None:
    """Raises Invalid for intervals that could not be read back."""
    packed_bytes = sum(len(interval.histogram or "") for interval in batch.intervals)
    await beside(_UNPACKED * packed_bytes, _require_histograms, batch)  # thousands of them take a second


def _require_histograms(batch: Batch) -> None:
    for interval in batch.intervals:
        if interval.t1_us < interval.t0_us:
            raise Invalid(f"An interval of stream {interval.stream} ends before it begins.", code="bad-interval")
        try:
            if interval.histogram is not None:
                mixed = interval.quantity == "latency"
                histograms.require_sound(interval.histogram, interval.count, may_hold_more=mixed)
        except ValueError as error:
            detail = f"The histogram of stream {interval.stream} is no HdrHistogram of ours: {error}"
            raise Invalid(detail, code="bad-histogram") from error


def fits(batch: Batch, streams: Collection[str], widths: Mapping[int, int]) -> bool:
    """Whether a batch names only ``streams`` of its host, and each frame has a value for each column of its layout."""
    known = all(stream in streams for stream in _streams(batch))
    return known and all(len(frame.values) == widths.get(frame.layout) for frame in batch.frames)


def require_fit(batch: Batch, streams: Collection[str], widths: Mapping[int, int]) -> None:
    """Raises Invalid unless a batch :func:`fits`."""
    if unknown := sorted(set(_streams(batch)).difference(streams)):
        raise Invalid(f"This host has no stream {unknown[0]!r} in this trial.", code="unknown-stream")
    for frame in batch.frames:
        if len(frame.values) != widths.get(frame.layout):
            expected = widths.get(frame.layout, "no declared")
            detail = f"A frame has {len(frame.values)} values; layout {frame.layout} has {expected} columns."
            raise Invalid(detail, code="bad-frame")


def _streams(batch: Batch) -> Iterator[str]:
    yield from (interval.stream for interval in batch.intervals)
    for event in batch.events:
        if isinstance(event, StreamResult | ProcessEvent) and event.stream is not None:
            yield event.stream


_MOST_VALUES = 8_192
"""In the statement: of many more, a COPY takes less time."""
_MOST_PARTS = 4_096


class ReceivedBatch(NamedTuple):
    """A batch, and the JSON that it was parsed from."""

    batch: Batch
    text: bytes

    def for_viewers(self, trial_id: UUID, host_id: UUID) -> str:
        """As it was received, without kept files, profiles and phases, which no live view shows."""
        batch, text = self
        events = [event for event in batch.events if event.kind not in {"artefact", "profile", "phases"}]
        if len(events) < len(batch.events):
            text = batch.model_copy(update={"events": events}).model_dump_json().encode()
        return live_batch_json(trial_id, host_id, text)


class HostPart(NamedTuple):
    """What does not change in a host's part of a trial: the streams that its batches may name, the widths of the
    layouts that it has declared, and how many streams each other host of the trial has."""

    streams: frozenset[str]
    widths: Mapping[int, int]
    others: Mapping[str, int]


class Batches:
    """The batches that arrive at one process, which remembers what they must fit."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._parts: dict[tuple[str, UUID], HostPart] = {}

    async def accept(self, credential_hash: str, trial_id: UUID, received: ReceivedBatch) -> BatchAck:
        """Store a batch once. A repeated one is acknowledged again, a gap is a Conflict that names what is missing.

        Raises NotSignedIn, NotFound, and Invalid for what could not be read back.
        """
        batch = received.batch
        await require_histograms(batch)
        part = await self._part(credential_hash, trial_id, batch)
        taken = await self._taken(credential_hash, trial_id, part, received)
        if taken.verdict == "lost":
            if not await self._is_wanted_again(taken.host_id, trial_id):
                return BatchAck(acked_seq=batch.seq, control=TrialControl(command="discard"))
            taken = await self._taken(credential_hash, trial_id, part, received)
        if taken.verdict == "gap":
            raise Conflict(f"Batch {taken.acked_seq + 1} is missing before {batch.seq}.", code="batch-gap")
        if taken.verdict == "ended":
            raise Conflict("This host has ended its part of the trial.", code="host-done")
        if taken.verdict == "taken":
            await check_while_measured(self._database, taken.run_id, trial_id, taken.state)
        return BatchAck(acked_seq=max(batch.seq, taken.acked_seq), control=_control(taken, part))

    async def _taken(self, credential_hash: str, trial_id: UUID, part: HostPart, received: ReceivedBatch) -> TakenBatch:
        """What became of a batch, with the trial's state after it."""
        batch = received.batch
        few = sum(len(frame.values) for frame in batch.frames) <= _MOST_VALUES

        async def take(ask: Ask) -> TakenBatch:
            frames = batch.frames if few else []
            found = await repository.take_batch(ask, credential_hash, trial_id, batch, frames)
            if found is None:  # the credential was revoked a moment ago
                async with self._database.transaction() as session:
                    await registered_host(session, credential_hash)
                raise _not_its_trial()
            return found

        if few and not batch.layouts and not batch.events and fits(batch, part.streams, part.widths):
            taken = await take(self._database.ask)
            if taken.verdict == "taken":
                await self._tell(taken, trial_id, received)
            return taken
        widths = part.widths
        async with self._database.transaction() as session:
            taken = await take(partial(ask_in, session))
            if taken.verdict == "taken":
                after_commit(session, partial(self._tell, taken, trial_id, received))
                widths = await _require_sound(session, trial_id, taken.host_id, part, batch)
                await storing.store_rest(
                    session, trial_id, taken.host_id, taken.live_seq or 0, batch, with_frames=not few
                )
                taken = taken._replace(state=await _advanced(session, trial_id, taken, batch))
        self._remember(credential_hash, trial_id, part._replace(widths=widths))
        return taken

    async def _tell(self, taken: TakenBatch, trial_id: UUID, received: ReceivedBatch) -> None:
        """Viewers, after the commit."""
        storing.count(received.batch)
        body = received.for_viewers(trial_id, taken.host_id)
        await self._database.bus.publish(taken.run_id, LiveMessage(taken.live_seq or 0, "batch", body))

    async def _is_wanted_again(self, host_id: UUID, trial_id: UUID) -> bool:
        """Whether a lost trial goes on where its host is; if not, it says that data of it came too late."""
        async with self._database.transaction() as session:
            run, trial, trial_host = await locked_trial_host(session, host_id, trial_id)
            wanted = await lost_trials.reinstate(session, run, trial, trial_host)
            if not wanted:
                await lost_trials.note_discarded(session, trial)
        return wanted

    async def _part(self, credential_hash: str, trial_id: UUID, batch: Batch) -> HostPart:
        """Read where this process does not know it, or not all layouts that the batch uses: another process may have
        taken them. Raises NotSignedIn and NotFound."""
        part = self._parts.get((credential_hash, trial_id))
        declared = {layout.id for layout in batch.layouts}
        if part is not None and all(frame.layout in part.widths or frame.layout in declared for frame in batch.frames):
            return part
        async with self._database.transaction() as session:
            host = await registered_host(session, credential_hash)
            trial = await runs.trial(session, trial_id)
            shares = {} if trial is None else {entry.host_id: entry for entry in trial.hosts}
            if (own := shares.pop(host.id, None)) is None:
                raise _not_its_trial()
            streams = frozenset((NGINX_STREAM, *(stream["key"] for stream in own.spec["streams"])))
            others = {str(other.host_id): len(other.spec["streams"]) for other in shares.values()}
            part = HostPart(streams, await metrics.layout_widths(session, trial_id, host.id), others)
        self._remember(credential_hash, trial_id, part)
        return part

    def _remember(self, credential_hash: str, trial_id: UUID, part: HostPart) -> None:
        self._parts.pop((credential_hash, trial_id), None)
        self._parts[credential_hash, trial_id] = part
        if len(self._parts) > _MOST_PARTS:
            del self._parts[next(iter(self._parts))]


async def _require_sound(
    session: AsyncSession, trial_id: UUID, host_id: UUID, part: HostPart, batch: Batch
) -> Mapping[int, int]:
    """The widths of the host's layouts with those that the batch declares. Raises Invalid, which undoes the batch."""
    widths = dict(await metrics.layout_widths(session, trial_id, host_id) if batch.layouts else part.widths)
    for layout in batch.layouts:
        if layout.id in widths:
            raise Invalid(f"Layout {layout.id} is declared twice.", code="bad-layout")
        widths[layout.id] = len(layout.series)
    require_fit(batch, part.streams, widths)
    return widths


async def _advanced(session: AsyncSession, trial_id: UUID, taken: TakenBatch, batch: Batch) -> str:
    """The trial's state once its progress has been noted."""
    trial = await runs.trial(session, trial_id) if batch.events else None
    if trial is None:
        return taken.state
    trial_host = next(entry for entry in trial.hosts if entry.host_id == taken.host_id)
    await advance(session, trial, trial_host, batch.events)
    return trial.state


def _control(taken: TakenBatch, part: HostPart) -> TrialControl:
    """What the host should do now, and what it needs to know of the trial's other hosts."""
    if taken.state in UNWANTED:
        return TrialControl(command="discard")
    others = [
        Other(endpoints, part.others[host_id], ended_streams, outcome)
        for host_id, endpoints, ended_streams, outcome in taken.others or ()
    ]
    return orders(others, taken.start_at_us, is_cancelled=taken.is_cancelled)


def _not_its_trial() -> NotFound:
    return NotFound("This host takes no part in a trial with this id.", code="unknown-trial")
