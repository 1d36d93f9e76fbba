"""The usual heartbeat: from the same agent as before, and nothing follows of it.

Each host sends one every three or four seconds, so those that arrive together are one statement, which changes nothing
where there is more to do. Its commit does not wait for the disk: where the machine itself fails, the last seconds of
signs of life are lost. A host that somebody has locked takes the long way, so that no other waits for it.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from ngxlab_contracts.broker import broker_password, password_hash
from ngxlab_contracts.hosts import Heartbeat
from sqlalchemy import text

from ngxlab.accounts.secrets import token_hash
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database, Prepared
from ngxlab.core.loops.together import Together
from ngxlab.hosts.sightings import LATELY
from ngxlab.runs.states import UNDER_WAY, TrialState

_TAKE = Prepared(
    text("""
    WITH beat AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(CAST(:beats AS jsonb)) AS beat(
            place int, credential_hash text, broker_hash text, offset_us bigint, rtt_us bigint, active uuid,
            instance uuid, version text, protocol text, hostname text, machine text, address text,
            spooled uuid[], held uuid[])
    ), free AS MATERIALIZED (
        SELECT host.id, host.credential_hash FROM host
        WHERE host.credential_hash = ANY(:hashes) FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE host SET heartbeat_at = :now, active_trial_id = beat.active,
        clock_offset_us = beat.offset_us, clock_rtt_us = beat.rtt_us,
        sightings = jsonb_set(sightings, '{0,heard_at}', to_jsonb(CAST(:heard_at AS text)))
    FROM beat JOIN free ON free.credential_hash = beat.credential_hash
    WHERE host.id = free.id AND removed_at IS NULL AND broker_password_hash = beat.broker_hash
        AND heartbeat_at > :lately AND conflict IS NULL
        AND agent_instance = beat.instance AND agent_version = beat.version AND host.protocol = beat.protocol
        AND sightings -> 1 IS NULL AND sightings -> 0 ->> 'instance' = CAST(beat.instance AS text)
        AND sightings -> 0 ->> 'hostname' = beat.hostname AND sightings -> 0 ->> 'machine' = beat.machine
        AND sightings -> 0 ->> 'address' = beat.address
        AND NOT EXISTS (
            SELECT FROM trial_host JOIN trial ON trial.id = trial_host.trial_id
            WHERE trial_host.host_id = host.id AND trial_host.outcome IS NULL AND trial.state = ANY(:under_way)
                AND trial_host.claimed_by <> beat.instance AND trial.id <> ALL(beat.spooled)
        )
        AND NOT EXISTS (
            SELECT FROM trial_host JOIN trial ON trial.id = trial_host.trial_id
            WHERE trial_host.host_id = host.id AND trial.id = ANY(beat.held) AND trial.state = :lost
        )
    RETURNING beat.place, (SELECT run_id FROM trial WHERE trial.id = beat.active),
        set_config('synchronous_commit', 'off', true)
""")
)

_OTHERS_AT_ONCE = 4
"""Each holds a connection to the database."""


class Taken(NamedTuple):
    """``run_id``: of the trial that the agent executes."""

    run_id: UUID | None


class Arrived(NamedTuple):
    """A heartbeat as it came: by whose credential, and from where."""

    credential: str
    beat: Heartbeat
    address: str


class UsualHeartbeats(Together[Arrived, "Taken | None"]):
    """Those of one process."""

    def __init__(self, database: Database) -> None:
        super().__init__(self._take_all)
        self._database = database
        self.others = asyncio.Semaphore(_OTHERS_AT_ONCE)
        """Of those who take the long way, as all hosts do after an outage: batches must not wait for them."""

    async def take(self, arrived: Arrived) -> Taken | None:
        """Record a heartbeat, unless it is any other than the usual one: ``None``."""
        if arrived.beat.agent is None or arrived.beat.inventory is not None:
            return None
        return await self.ask(arrived)

    async def _take_all(self, arrived: Sequence[Arrived]) -> list[Taken | None]:
        beats = [_row(place, one) for place, one in enumerate(arrived)]
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
        taken = {row["place"]: Taken(row["run_id"]) for row in await self._database.ask(_TAKE, given)}
        return [taken.get(place) for place in range(len(arrived))]


def _row(place: int, arrived: Arrived) -> dict[str, Any]:
    beat, agent = arrived.beat, arrived.beat.agent
    assert agent is not None  # noqa: S101 (asked before)
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
        "spooled": spooled,
        "held": [*filter(None, [active]), *spooled],
    }
