"""What the audit log needs by itself: the settings that apply from a start on, and the end of what is old enough."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import structlog
from sqlalchemy import delete, func, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.audit.acts import Act
from ngxlab.audit.models import AuditEntry
from ngxlab.audit.record import Object, record, system
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.database import Database

log = structlog.get_logger()

_EVERY_S = 3600.0
_AGAIN_S = 30.0
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


async def keep_up(database: Database, settings: Settings) -> None:
    """Never ends by itself; a database that is away is waited for."""
    known = False
    while True:
        try:
            async with database.transaction() as session:
                if not known:
                    await record_settings(session, settings)
                await delete_expired(session, settings.audit_days)
            known = True
            await asyncio.sleep(_EVERY_S)
        except (SQLAlchemyError, OSError) as error:
            log.warning("the audit log could not be looked after", error=type(error).__name__)
            await asyncio.sleep(_AGAIN_S)
