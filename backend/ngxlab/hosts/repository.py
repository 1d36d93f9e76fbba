"""SQL of hosts, enrolment and leases."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, delete, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.base import ExecutableOption

from ngxlab.core.database import Database
from ngxlab.core.jobs.kinds import NOW
from ngxlab.hosts.models import EnrolmentToken, Host, HostLease


async def is_credential(database: Database, credential_hash: str) -> bool:
    """Whether it is a registered host's."""
    query = select(Host.id).where(Host.credential_hash == credential_hash, Host.removed_at.is_(None))
    return bool(await database.alone(query))


async def host_by_credential_hash(
    session: AsyncSession, credential_hash: str, *options: ExecutableOption
) -> Host | None:
    query = select(Host).where(Host.credential_hash == credential_hash, Host.removed_at.is_(None))
    return await session.scalar(query.options(*options))


async def host_by_id(session: AsyncSession, host_id: UUID) -> Host | None:
    return await session.get(Host, host_id)


async def host_by_name(session: AsyncSession, name: str) -> Host | None:
    """A name in capitals is the same name."""
    same = select(Host).where(func.lower(Host.name) == name.lower(), Host.removed_at.is_(None))
    return await session.scalar(same.limit(1))


async def registered_hosts(session: AsyncSession) -> Sequence[Host]:
    return (await session.scalars(select(Host).where(Host.removed_at.is_(None)).order_by(Host.name))).all()


async def broker_password_hashes(database: Database) -> dict[UUID, str]:
    """The hashes of the registered hosts that have a user of Redis."""
    query = select(Host.id, Host.broker_password_hash).where(Host.removed_at.is_(None))
    rows = await database.alone(query.where(Host.broker_password_hash.is_not(None)))
    return {row.id: row.broker_password_hash for row in rows}


async def lock_enrolment_token(session: AsyncSession, token_hash: str) -> EnrolmentToken | None:
    query = select(EnrolmentToken).where(EnrolmentToken.token_hash == token_hash)
    return await session.scalar(query.with_for_update())


async def leases(session: AsyncSession) -> dict[UUID, UUID]:
    """Live leases as host -> run."""
    rows = await session.execute(select(HostLease.host_id, HostLease.run_id).where(HostLease.expires_at > func.now()))
    return {row.host_id: row.run_id for row in rows}


async def acquire_leases(session: AsyncSession, run_id: UUID, host_ids: Sequence[UUID], ttl: timedelta) -> bool:
    """Take or renew all of the hosts for a run, or none of them.

    Hosts are always locked in the same order, so two runs with common hosts cannot deadlock.
    """
    expires_at = func.now() + ttl
    for host_id in sorted(host_ids):
        taking = insert(HostLease).values(host_id=host_id, run_id=run_id, expires_at=expires_at)
        taken = taking.on_conflict_do_update(
            index_elements=[HostLease.host_id],
            set_={"run_id": run_id, "expires_at": expires_at},
            where=or_(HostLease.run_id == run_id, HostLease.expires_at <= func.now()),
        ).returning(HostLease.host_id)
        if await session.scalar(taken) is None:
            await session.execute(delete(HostLease).where(HostLease.run_id == run_id))
            return False
    return True


async def release_leases(session: AsyncSession, run_id: UUID) -> None:
    await session.execute(delete(HostLease).where(HostLease.run_id == run_id))


async def renew_leases(session: AsyncSession, run_id: UUID, ttl: timedelta) -> None:
    await session.execute(update(HostLease).where(HostLease.run_id == run_id).values(expires_at=func.now() + ttl))


_ONLINE_FOR = timedelta(seconds=8)
"""Agents send a heartbeat every 3 s, and every 2 s during a trial. A host is offline after two missed ones and some
tolerance."""


def is_online(heartbeat_at: datetime | None, now: datetime) -> bool:
    return heartbeat_at is not None and now - heartbeat_at < _ONLINE_FOR


def _gone_silent(before: datetime | ColumnElement[datetime]) -> ColumnElement[bool]:
    return and_(Host.removed_at.is_(None), Host.away_since.is_(None), Host.heartbeat_at < before)


def _heard_again(now: datetime | ColumnElement[datetime]) -> ColumnElement[bool]:
    return and_(Host.removed_at.is_(None), Host.away_since.is_not(None), Host.heartbeat_at > now - _ONLINE_FOR)


def is_any_changed(patience: timedelta) -> ColumnElement[bool]:
    """Whether there is any host :func:`gone_silent` for ``patience``, or :func:`heard_again`: asked all the time."""
    return exists().where(or_(_gone_silent(NOW - patience), _heard_again(NOW)))


async def gone_silent(session: AsyncSession, before: datetime) -> Sequence[Host]:
    """Registered hosts whose last heartbeat was before then and of whom nobody was told; locked."""
    return (await session.scalars(_locked(select(Host).where(_gone_silent(before))))).all()


async def heard_again(session: AsyncSession, now: datetime) -> Sequence[Host]:
    """Registered hosts that people were told to be away and that are online; locked."""
    return (await session.scalars(_locked(select(Host).where(_heard_again(now))))).all()


def _locked(query: Select[Host]) -> Select[Host]:
    """What somebody else has locked is looked at in the next round."""
    return query.with_for_update(skip_locked=True).execution_options(populate_existing=True)
