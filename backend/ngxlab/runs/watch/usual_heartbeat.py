"""The usual heartbeat: from the same agent as before, and nothing follows of it.

Each host sends one every two or three seconds, so it is one statement, which changes nothing where there is more to do.
Its commit does not wait for the disk: where the machine itself fails, the last seconds of signs of life are lost.
"""

from typing import NamedTuple
from uuid import UUID

from ngxlab_contracts.broker import broker_password, password_hash
from ngxlab_contracts.hosts import Heartbeat
from sqlalchemy import text

from ngxlab.accounts.secrets import token_hash
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.hosts.sightings import LATELY
from ngxlab.runs.states import UNDER_WAY, TrialState

_TAKE = text("""
    UPDATE host SET heartbeat_at = :now, active_trial_id = :active,
        clock_offset_us = :offset_us, clock_rtt_us = :rtt_us,
        sightings = jsonb_set(sightings, '{0,heard_at}', to_jsonb(CAST(:heard_at AS text)))
    WHERE credential_hash = :credential_hash AND removed_at IS NULL AND broker_password_hash = :broker_hash
        AND heartbeat_at > :lately AND conflict IS NULL
        AND agent_instance = :instance AND agent_version = :version AND protocol = :protocol
        AND sightings -> 1 IS NULL AND sightings -> 0 ->> 'instance' = :instance_text
        AND sightings -> 0 ->> 'hostname' = :hostname AND sightings -> 0 ->> 'machine' = :machine
        AND sightings -> 0 ->> 'address' = :address
        AND NOT EXISTS (
            SELECT FROM trial_host JOIN trial ON trial.id = trial_host.trial_id
            WHERE trial_host.host_id = host.id AND trial_host.outcome IS NULL AND trial.state = ANY(:under_way)
                AND trial_host.claimed_by <> :instance AND trial.id <> ALL(:spooled)
        )
        AND NOT EXISTS (
            SELECT FROM trial_host JOIN trial ON trial.id = trial_host.trial_id
            WHERE trial_host.host_id = host.id AND trial.id = ANY(:held) AND trial.state = :lost
        )
    RETURNING (SELECT run_id FROM trial WHERE trial.id = :active),
        set_config('synchronous_commit', 'off', true)
""")


class Taken(NamedTuple):
    """``run_id``: of the trial that the agent executes."""

    run_id: UUID | None


async def take(database: Database, credential: str, beat: Heartbeat, address: str) -> Taken | None:
    """Record a heartbeat, unless it is any other than the usual one: ``None``."""
    if beat.agent is None or beat.inventory is not None:
        return None
    now = utcnow()
    given = {
        "now": now,
        "lately": now - LATELY,
        "heard_at": now.isoformat(),
        "credential_hash": token_hash(credential),
        "broker_hash": password_hash(broker_password(credential)),
        "offset_us": beat.clock_offset_us,
        "rtt_us": beat.clock_rtt_us,
        "active": beat.active_trial,
        "instance": beat.agent_instance,
        "instance_text": str(beat.agent_instance),
        "version": beat.agent.version,
        "protocol": beat.agent.protocol,
        "hostname": beat.agent.hostname,
        "machine": beat.agent.machine,
        "address": address,
        "under_way": [str(state) for state in UNDER_WAY],
        "lost": str(TrialState.lost),
        "spooled": beat.spooled_trials,
        "held": [*filter(None, [beat.active_trial]), *beat.spooled_trials],
    }
    for run_id, _ in await database.alone(_TAKE, given):
        return Taken(run_id)
    return None
