"""The usual batch: the next one of a trial under way, with readings and latencies and nothing else.

Each host of a trial sends one every second, or every few. So one statement takes it, which changes nothing where there
is more to do, or to refuse: :mod:`ngxlab.worker_api.batches` then finds out what. Many values follow it by a COPY, in
one transaction. What batches of a host must fit does not change while its trial goes on; this process remembers it.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple
from uuid import UUID

from ngxlab_contracts.telemetry import Batch, Frame
from ngxlab_contracts.trials import BatchAck, TrialControl
from sqlalchemy import text

from ngxlab.core.bus import LiveMessage
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database, Prepared
from ngxlab.core.errors import Invalid
from ngxlab.live.messages import live_batch_json
from ngxlab.metrics import storing
from ngxlab.runs.models import Trial, TrialHost
from ngxlab.runs.states import UNDER_WAY
from ngxlab.runs.watch.live_checks import check_while_measured
from ngxlab.worker_api import batch_checks
from ngxlab.worker_api.control import Other, orders

_TAKE = Prepared(
    text("""
    WITH share AS MATERIALIZED (
        SELECT trial.run_id, trial_host.trial_id, trial_host.host_id, trial.state, trial.start_at_us,
            run.cancel_requested_at IS NOT NULL AS is_cancelled
        FROM host JOIN trial_host ON trial_host.host_id = host.id
            JOIN trial ON trial.id = trial_host.trial_id JOIN run ON run.id = trial.run_id
        WHERE host.credential_hash = :credential_hash AND host.removed_at IS NULL AND trial.id = :trial_id
            AND trial.state = ANY(:under_way) AND acked_seq = :before AND outcome IS NULL
        FOR NO KEY UPDATE OF run FOR SHARE OF trial
    ), taken AS (
        UPDATE trial_host SET acked_seq = :seq, clock_offset_us = :offset_us, last_batch_at = :now FROM share
        WHERE trial_host.trial_id = share.trial_id AND trial_host.host_id = share.host_id
            AND acked_seq = :before AND outcome IS NULL
        RETURNING share.*
    ), told AS (
        UPDATE run SET live_seq = live_seq + 1 FROM taken WHERE run.id = taken.run_id RETURNING run.live_seq, taken.*
    ), frames AS (
        INSERT INTO frame (trial_id, host_id, layout, t_us, took_us, live_seq, "values")
        SELECT trial_id, host_id, layout, t_us, took_us, live_seq, (CAST(:values AS float8[]))[first_value:last_value]
        FROM told, unnest(CAST(:layouts AS smallint[]), CAST(:t_us AS bigint[]), CAST(:took_us AS int[]),
            CAST(:first_values AS int[]), CAST(:last_values AS int[]))
            AS frame(layout, t_us, took_us, first_value, last_value)
    ), intervals AS (
        INSERT INTO latency_interval (trial_id, host_id, stream, t0_us, t1_us, count, histogram, quantity, live_seq)
        SELECT trial_id, host_id, stream, t0_us, t1_us, count, histogram, quantity, live_seq
        FROM told, unnest(CAST(:streams AS text[]), CAST(:t0_us AS bigint[]), CAST(:t1_us AS bigint[]),
            CAST(:counts AS bigint[]), CAST(:histograms AS text[]), CAST(:quantities AS text[]))
            AS interval(stream, t0_us, t1_us, count, histogram, quantity)
    )
    SELECT run_id, host_id, live_seq, state, start_at_us, is_cancelled, (
        SELECT json_agg(json_build_array(other.host_id, endpoints, ended_streams, outcome) ORDER BY other.host_id)
        FROM trial_host AS other WHERE other.trial_id = told.trial_id AND other.host_id <> told.host_id
    ) AS others FROM told
""")
)

_MOST_VALUES = 8_192
"""In that statement: of many more, a COPY takes less time."""
_MOST_SHARES = 4_096


class ReceivedBatch(NamedTuple):
    """A batch, and the JSON that it was parsed from."""

    batch: Batch
    text: bytes


class Share(NamedTuple):
    """What batches of a host in a trial must fit: the streams that it may name, and the widths of the layouts that it
    has declared. ``others``: how many streams each other host of the trial has."""

    streams: frozenset[str]
    widths: Mapping[int, int]
    others: Mapping[str, int]

    def fits(self, batch: Batch) -> bool:
        known = all(interval.stream in self.streams for interval in batch.intervals)
        return known and all(len(frame.values) == self.widths.get(frame.layout) for frame in batch.frames)


def share_of(trial: Trial, trial_host: TrialHost, widths: Mapping[int, int]) -> Share:
    others = [other for other in trial.hosts if other.host_id != trial_host.host_id]
    streams = {str(other.host_id): len(other.spec["streams"]) for other in others}
    return Share(batch_checks.known_streams(trial_host), widths, streams)


class UsualBatches:
    """Those that arrive at one process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._shares: dict[tuple[str, UUID], Share] = {}

    def remember(self, credential_hash: str, trial_id: UUID, share: Share) -> None:
        """What the database has just said, in addition to the widths that are known."""
        known = self._shares.pop((credential_hash, trial_id), None)
        widths = {**known.widths, **share.widths} if known else share.widths
        self._shares[credential_hash, trial_id] = share._replace(widths=widths)
        if len(self._shares) > _MOST_SHARES:
            del self._shares[next(iter(self._shares))]

    async def take(self, credential_hash: str, trial_id: UUID, received: ReceivedBatch) -> BatchAck | None:
        """Store a batch and tell viewers; ``None`` for any other than the usual one, of which nothing is stored."""
        batch, share = received.batch, self._shares.get((credential_hash, trial_id))
        if share is None or batch.layouts or batch.events or not share.fits(batch):
            return None
        if not await _has_sound_histograms(batch):
            return None
        given = {"credential_hash": credential_hash, "trial_id": trial_id, "now": utcnow()}
        if (taken := await self._stored(given, batch)) is None:
            return None
        storing.count(batch)
        run_id, body = taken["run_id"], live_batch_json(trial_id, taken["host_id"], received.text)
        await self._database.bus.publish(run_id, LiveMessage(taken["live_seq"], "batch", body))
        check_while_measured(self._database, run_id, trial_id, taken["state"])
        return BatchAck(acked_seq=batch.seq, control=_control(taken, share))

    async def _stored(self, given: Mapping[str, Any], batch: Batch) -> Mapping[str, Any] | None:
        """What the statement says of the batch that it has taken."""
        if sum(len(frame.values) for frame in batch.frames) <= _MOST_VALUES:
            taken = await self._database.ask(_TAKE, {**given, **_parameters(batch, batch.frames)})
            return taken[0] if taken else None
        values = _TAKE.in_order({**given, **_parameters(batch, frames=[])})
        async with self._database.driver() as driver, driver.transaction():
            found: Mapping[str, Any] | None = await driver.fetchrow(_TAKE.text, *values)
            if found is not None:
                host_id, live_seq = found["host_id"], found["live_seq"]
                await storing.store_frames(driver, given["trial_id"], host_id, live_seq, batch.frames)
        return found


def _control(taken: Mapping[str, Any], share: Share) -> TrialControl:
    others = [
        Other(endpoints, share.others[host_id], ended_streams, outcome)
        for host_id, endpoints, ended_streams, outcome in taken["others"] or ()
    ]
    return orders(others, taken["start_at_us"], is_cancelled=taken["is_cancelled"])


async def _has_sound_histograms(batch: Batch) -> bool:
    try:
        await batch_checks.require_histograms(batch)
    except Invalid:
        return False
    return True


def _parameters(batch: Batch, frames: Sequence[Frame]) -> dict[str, Any]:
    intervals = batch.intervals
    last_values = list(accumulate(len(frame.values) for frame in frames))
    return {
        "seq": batch.seq,
        "before": batch.seq - 1,
        "offset_us": batch.clock_offset_us,
        "under_way": _UNDER_WAY,
        "layouts": [frame.layout for frame in frames],
        "t_us": [frame.t_us for frame in frames],
        "took_us": [frame.took_us for frame in frames],
        "first_values": [1, *(last + 1 for last in last_values[:-1])][: len(frames)],
        "last_values": last_values,
        "values": list(chain.from_iterable(frame.values for frame in frames)),
        "streams": [interval.stream for interval in intervals],
        "t0_us": [interval.t0_us for interval in intervals],
        "t1_us": [interval.t1_us for interval in intervals],
        "counts": [interval.count for interval in intervals],
        "histograms": [interval.histogram for interval in intervals],
        "quantities": [interval.quantity for interval in intervals],
    }


_UNDER_WAY = [str(state) for state in UNDER_WAY]
