"""SQL of what agents report all the time: batches and heartbeats. Each is one statement, whatever it finds."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple
from uuid import UUID

from ngxlab_contracts.broker import broker_password, password_hash
from ngxlab_contracts.hosts import Heartbeat
from ngxlab_contracts.telemetry import Batch, Frame
from sqlalchemy import text

from ngxlab.accounts.secrets import token_hash
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database, Prepared
from ngxlab.hosts.service import LATELY
from ngxlab.runs.states import UNDER_WAY, TrialState

Ask = Callable[[Prepared, Mapping[str, Any]], Awaitable[Sequence[Mapping[str, Any]]]]
"""Asks the database: by a statement of its own, or in a transaction."""

_TAKE_BATCH = Prepared(
    text("""
    WITH part AS MATERIALIZED (
        SELECT trial.run_id, trial_host.trial_id, trial_host.host_id, trial_host.acked_seq, trial.state,
            trial.start_at_us, run.cancel_requested_at IS NOT NULL AS is_cancelled,
            CASE WHEN trial.state = :lost THEN 'lost' WHEN acked_seq >= :seq THEN 'repeated'
                WHEN acked_seq < :before THEN 'gap' WHEN outcome IS NOT NULL THEN 'ended' ELSE 'taken' END AS verdict
        FROM host JOIN trial_host ON trial_host.host_id = host.id
            JOIN trial ON trial.id = trial_host.trial_id JOIN run ON run.id = trial.run_id
        WHERE host.credential_hash = :credential_hash AND host.removed_at IS NULL AND trial.id = :trial_id
        FOR NO KEY UPDATE OF run FOR NO KEY UPDATE OF trial_host FOR SHARE OF trial
    ), taken AS (
        UPDATE trial_host SET acked_seq = :seq, clock_offset_us = :offset_us, last_batch_at = :now FROM part
        WHERE trial_host.trial_id = part.trial_id AND trial_host.host_id = part.host_id AND verdict = 'taken'
        RETURNING part.run_id, part.trial_id, part.host_id
    ), told AS (
        UPDATE run SET live_seq = live_seq + 1 FROM taken WHERE run.id = taken.run_id
        RETURNING run.live_seq, trial_id, host_id
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
    SELECT run_id, host_id, acked_seq, state, start_at_us, is_cancelled, verdict,
        (SELECT live_seq FROM told) AS live_seq, (
            SELECT json_agg(json_build_array(other.host_id, endpoints, ended_streams, outcome) ORDER BY other.host_id)
            FROM trial_host AS other WHERE other.trial_id = part.trial_id AND other.host_id <> part.host_id
        ) AS others
    FROM part
""")
)


class TakenBatch(NamedTuple):
    """What the statement says of a batch, and of the trial as it was before.

    ``verdict``: ``taken``, or why nothing was stored: the trial is ``lost``, the batch is ``repeated``, there is a
    ``gap`` before it, or the host has ``ended`` its part. ``live_seq``: the batch's position in the run's live stream.
    ``others``: id, endpoints, number of ended streams, and outcome of each other host of the trial.
    """

    run_id: UUID
    host_id: UUID
    acked_seq: int
    state: str
    start_at_us: int | None
    is_cancelled: bool
    verdict: str
    live_seq: int | None
    others: Sequence[tuple[str, Sequence[Any], int, str | None]] | None


async def take_batch(
    ask: Ask, credential_hash: str, trial_id: UUID, batch: Batch, frames: Sequence[Frame]
) -> TakenBatch | None:
    """Store a batch's ``frames`` and intervals if it is the next one. ``None`` where this is no host's credential, or
    the host takes no part in the trial."""
    intervals = batch.intervals
    last_values = list(accumulate(len(frame.values) for frame in frames))
    given = {
        "credential_hash": credential_hash,
        "trial_id": trial_id,
        "now": utcnow(),
        "lost": str(TrialState.lost),
        "seq": batch.seq,
        "before": batch.seq - 1,
        "offset_us": batch.clock_offset_us,
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
    rows = await ask(_TAKE_BATCH, given)
    return TakenBatch(**rows[0]) if rows else None


_NOTE_HEARTBEATS = Prepared(
    text("""
    WITH beat AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(CAST(:beats AS jsonb)) AS beat(
            place int, credential_hash text, broker_hash text, offset_us bigint, rtt_us bigint, active uuid,
            instance uuid, version text, protocol text, hostname text, machine text, address text, trouble text,
            disk text, spooled uuid[], held uuid[])
    ), known AS MATERIALIZED (
        SELECT host.id, beat.*, COALESCE(
            broker_password_hash = beat.broker_hash AND heartbeat_at > :lately AND conflict IS NULL
            AND broker_trouble IS NOT DISTINCT FROM beat.trouble AND disk_trouble IS NOT DISTINCT FROM beat.disk
            AND agent_instance = beat.instance AND agent_version = beat.version AND host.protocol = beat.protocol
            AND sightings -> 1 IS NULL AND sightings -> 0 ->> 'instance' = CAST(beat.instance AS text)
            AND sightings -> 0 ->> 'hostname' = beat.hostname AND sightings -> 0 ->> 'machine' = beat.machine
            AND sightings -> 0 ->> 'address' = beat.address, false) AS is_same
        FROM beat JOIN host ON host.credential_hash = beat.credential_hash
        WHERE host.credential_hash = ANY(:hashes) AND removed_at IS NULL FOR NO KEY UPDATE OF host SKIP LOCKED
    )
    UPDATE host SET heartbeat_at = :now, active_trial_id = known.active,
        clock_offset_us = known.offset_us, clock_rtt_us = known.rtt_us,
        sightings = CASE WHEN is_same THEN jsonb_set(sightings, '{0,heard_at}', to_jsonb(CAST(:heard_at AS text)))
            ELSE sightings END
    FROM known WHERE host.id = known.id
    RETURNING known.place, (SELECT run_id FROM trial WHERE trial.id = known.active),
        NOT is_same OR EXISTS (
            SELECT FROM trial_host JOIN trial ON trial.id = trial_host.trial_id
            WHERE trial_host.host_id = host.id AND trial_host.outcome IS NULL AND trial.state = ANY(:under_way)
                AND trial_host.claimed_by <> known.instance AND trial.id <> ALL(known.spooled)
        ) OR EXISTS (
            SELECT FROM trial_host JOIN trial ON trial.id = trial_host.trial_id
            WHERE trial_host.host_id = host.id AND trial.id = ANY(known.held) AND trial.state = :lost
        ) AS has_news, set_config('synchronous_commit', 'off', true)
""")
)
"""The commit does not wait for the disk: where the machine fails, the last seconds of signs of life are lost. A host
that somebody has locked is left out, so that no other waits for it."""


class ArrivedHeartbeat(NamedTuple):
    """A heartbeat, by whose credential it came, and from where."""

    credential: str
    beat: Heartbeat
    address: str


class NotedHeartbeat(NamedTuple):
    """``run_id``: the run whose trial the host executes. ``has_news``: the agent is another one than before, Redis does
    not know it, it reaches Redis no more or again, its disk is full or no more, or trials are concerned."""

    run_id: UUID | None
    has_news: bool


async def note_heartbeats(database: Database, arrived: Sequence[ArrivedHeartbeat]) -> list[NotedHeartbeat | None]:
    """Record that these hosts are alive; ``None`` where the credential is unknown, or somebody has locked the host."""
    beats = [_beat_row(place, one) for place, one in enumerate(arrived)]
    now = utcnow()
    given = {
        "beats": json.dumps(beats),
        "hashes": [beat["credential_hash"] for beat in beats],
        "now": now,
        "lately": now - LATELY,
        "heard_at": now.isoformat(),
        "under_way": [str(state) for state in UNDER_WAY],
        "lost": str(TrialState.lost),
    }
    rows = await database.ask(_NOTE_HEARTBEATS, given)
    noted = {row["place"]: NotedHeartbeat(row["run_id"], row["has_news"]) for row in rows}
    return [noted.get(place) for place in range(len(arrived))]


def _beat_row(place: int, arrived: ArrivedHeartbeat) -> dict[str, Any]:
    beat, agent = arrived.beat, arrived.beat.agent
    spooled = [str(trial_id) for trial_id in beat.spooled_trials]
    active = str(beat.active_trial) if beat.active_trial else None
    return {
        "place": place,
        "credential_hash": token_hash(arrived.credential),
        "broker_hash": password_hash(broker_password(arrived.credential)),
        "offset_us": beat.clock_offset_us,
        "rtt_us": beat.clock_rtt_us,
        "active": active,
        "instance": str(beat.agent_instance),
        "version": agent.version,
        "protocol": agent.protocol,
        "hostname": agent.hostname,
        "machine": agent.machine,
        "address": arrived.address,
        "trouble": beat.broker_trouble.reason if beat.broker_trouble else None,
        "disk": beat.disk_trouble,
        "spooled": spooled,
        "held": [*filter(None, [active]), *spooled],
    }
