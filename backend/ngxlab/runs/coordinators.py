"""Which coordinators there are: when each last called, whether it reaches Redis, and what it drives."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from ngxlab_contracts.coordination import CoordinatorPulse
from sqlalchemy import Interval, bindparam, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database, Prepared
from ngxlab.runs.models import Coordinator
from ngxlab.runs.states import RunState

LEASE_TTL = timedelta(seconds=9)
"""The right to drive a run lasts so long. Each pulse renews it."""
_OLD_S = 15.0
"""A coordinator calls every four seconds, and asks Redis every five."""
_FORGOTTEN_AFTER = timedelta(days=1)


class Liveliness(NamedTuple):
    """``state``: ``ok``, or what is wrong. ``age_s``: since any coordinator last called; ``None``: none ever did."""

    state: str
    age_s: float | None


_NOTE = Prepared(
    text("""
    WITH old AS (DELETE FROM coordinator WHERE pulse_at < now() - :forgotten_after AND instance <> :instance),
    noted AS (
        INSERT INTO coordinator (instance, pulse_at, broker_age_s) VALUES (:instance, now(), :broker_age_s)
        ON CONFLICT (instance) DO UPDATE SET pulse_at = excluded.pulse_at, broker_age_s = excluded.broker_age_s
    ), held AS MATERIALIZED (
        SELECT * FROM unnest(CAST(:runs AS uuid[]), CAST(:holders AS uuid[])) AS held(run_id, holder)
    ), free AS MATERIALIZED (
        SELECT run.id FROM held JOIN run ON run.id = run_id AND lease_holder = holder
        WHERE run.state = ANY(:going_on) FOR NO KEY UPDATE OF run SKIP LOCKED
    ), renewed AS (
        UPDATE run SET lease_expires_at = now() + :ttl, hinted_at = NULL FROM free WHERE run.id = free.id
    ), hosts AS (
        UPDATE host_lease SET expires_at = now() + 2 * CAST(:ttl AS interval) FROM free WHERE run_id = free.id
    )
    SELECT set_config('synchronous_commit', 'off', true), ARRAY(
        SELECT run_id FROM held WHERE NOT EXISTS (
            SELECT FROM run WHERE run.id = run_id AND lease_holder = holder AND run.state = ANY(:going_on)
        )
    ) AS lost
""").bindparams(bindparam("forgotten_after", _FORGOTTEN_AFTER, Interval), bindparam("ttl", LEASE_TTL, Interval))
)


async def note_pulse(database: Database, pulse: CoordinatorPulse) -> Sequence[UUID]:
    """Record that a coordinator is alive, renew the leases that it holds, and return the runs of those that it does not
    hold any more. Those of long ago are forgotten. Nobody waits for the disk, nor for a run that somebody has locked:
    its lease is renewed the next time.
    """
    told = {
        "instance": pulse.instance,
        "broker_age_s": pulse.broker_age_s,
        "runs": [lease.run_id for lease in pulse.leases],
        "holders": [lease.holder for lease in pulse.leases],
        "going_on": [str(RunState.queued), str(RunState.running)],
    }
    lost: Sequence[UUID] = (await database.ask(_NOTE, told))[0]["lost"]
    return lost


async def liveliness(session: AsyncSession) -> Liveliness:
    """One working coordinator is enough."""
    found = (await session.scalars(select(Coordinator).order_by(Coordinator.pulse_at.desc()))).all()
    if not found:
        return Liveliness("none has called yet", None)
    now = utcnow()
    age_s = max(0.0, (now - found[0].pulse_at).total_seconds())
    if age_s > _OLD_S:
        return Liveliness(f"last called {age_s:.0f} s ago", age_s)
    present = [one for one in found if (now - one.pulse_at).total_seconds() <= _OLD_S]
    broker_age_s = min(one.broker_age_s for one in present)
    if broker_age_s > _OLD_S:
        return Liveliness(f"has not reached Redis for {broker_age_s:.0f} s", age_s)
    return Liveliness("ok", age_s)
