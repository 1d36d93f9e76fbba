"""Which coordinators there are: when each last called, and whether it reaches Redis."""

from datetime import timedelta
from typing import NamedTuple

from ngxlab_contracts.coordination import CoordinatorPulse
from sqlalchemy import Interval, bindparam, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database, Prepared
from ngxlab.runs.models import Coordinator

_OLD_S = 15.0
"""A coordinator calls every five seconds, and asks Redis as often."""
_FORGOTTEN_AFTER = timedelta(days=1)


class Liveliness(NamedTuple):
    """``state``: ``ok``, or what is wrong. ``age_s``: since any coordinator last called; ``None``: none ever did."""

    state: str
    age_s: float | None


_NOTE = Prepared(
    text("""
    WITH old AS (DELETE FROM coordinator WHERE pulse_at < now() - :forgotten_after AND instance <> :instance)
    INSERT INTO coordinator (instance, pulse_at, broker_age_s) VALUES (:instance, now(), :broker_age_s)
    ON CONFLICT (instance) DO UPDATE SET pulse_at = excluded.pulse_at, broker_age_s = excluded.broker_age_s
    RETURNING set_config('synchronous_commit', 'off', true)
""").bindparams(bindparam("forgotten_after", _FORGOTTEN_AFTER, Interval))
)


async def note_pulse(database: Database, pulse: CoordinatorPulse) -> None:
    """Record that a coordinator is alive, and forget those of long ago. Nobody waits for the disk."""
    await database.ask(_NOTE, pulse.model_dump(include={"instance", "broker_age_s"}))


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
