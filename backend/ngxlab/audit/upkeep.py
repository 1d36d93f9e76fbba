"""What the audit log needs by itself: the settings that apply from a start on, its seals, the end of the old."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.audit.acts import Act
from ngxlab.audit.record import AuditEntry, Object, record, system
from ngxlab.audit.seals import seal
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import Queue, Round, job

_EVERY_S = 3600.0
_SETTINGS = Object("settings", None, "settings")


async def record_settings(session: AsyncSession, settings: Settings) -> None:
    """Enter the settings if they differ from those of the last entry. Secrets are left out."""
    await session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended("ngxlab settings", 0))))
    newest = select(AuditEntry.detail).where(AuditEntry.act == Act.settings_changed).order_by(AuditEntry.id.desc())
    before: Mapping[str, Any] = (await session.scalar(newest.limit(1)) or {}).get("settings", {})
    now = settings.without_secrets()
    changed = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    if changed:
        await record(session, system("backend"), Act.settings_changed, _SETTINGS, changed=changed, settings=now)


async def delete_expired(session: AsyncSession, days: int) -> None:
    """Delete entries older than ``days``. The database's trigger asks for this announcement."""
    await session.execute(text("SET LOCAL ngxlab.audit_retention = 'on'"))
    await session.execute(delete(AuditEntry).where(AuditEntry.at < utcnow() - timedelta(days=days)))


class Upkeep:
    """Enters the settings once; seals what has settled and removes what is old enough again and again."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._settings_known = False

    async def look(self) -> None:
        async with self._database.transaction() as session:
            if not self._settings_known:
                await record_settings(session, self._settings)
            await delete_expired(session, self._settings.audit_days)
            await seal(session)
        self._settings_known = True


@job("audit-log", Queue.slow, limit_s=300, is_round=True)
async def keep_up(task: Task) -> None:
    own: Upkeep = task.service.own.setdefault("audit log", Upkeep(task.database, task.service.settings))
    await own.look()


def round_of_audit_log() -> Round:
    return Round(keep_up, period_s=_EVERY_S)
