"""SQL of shares."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Exists, Select, delete, exists, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from ngxlab.accounts.models import Account, ApiToken
from ngxlab.shares.models import Share, ShareCopy, SharedRun, ShareFile, ShareKind


class Kept(NamedTuple):
    """What is known of a copy without reading it."""

    taken_at: datetime
    headline: str
    digest: str


async def share(session: AsyncSession, share_id: UUID) -> Share | None:
    return await session.get(Share, share_id)


async def open_share(session: AsyncSession, token_hash: str) -> Share | None:
    """The share behind a token, unless it was revoked or has expired."""
    return await session.scalar(select(Share).where(Share.token_hash == token_hash, *works()))


async def lock_if_it_works(session: AsyncSession, share_id: UUID) -> bool:
    """Nobody revokes it before the commit."""
    query = select(Share.id).where(Share.id == share_id, *works()).with_for_update()
    return await session.scalar(query) is not None


async def count_working(session: AsyncSession, run_id: UUID) -> int:
    """The links that show something of a run now."""
    query = select(func.count(Share.id)).where(Share.id.in_(_showing(run_id)), *works())
    return await session.scalar(query) or 0


async def end_all(session: AsyncSession, run_id: UUID) -> None:
    """Delete the links that show something of a run."""
    await session.execute(delete(Share).where(Share.id.in_(_showing(run_id))))


def _showing(run_id: UUID) -> Select[UUID]:
    return select(SharedRun.share_id).where(SharedRun.run_id == run_id)


def lasts() -> tuple[ColumnElement[bool], ...]:
    """Conditions of a link that has not ended: it was not revoked, and neither it nor the token that made it ended."""
    ended = or_(ApiToken.revoked_at.is_not(None), ApiToken.expires_at <= func.now())
    return (
        Share.revoked_at.is_(None),
        or_(Share.expires_at.is_(None), Share.expires_at > func.now()),
        ~exists().where(ApiToken.id == Share.token_id, ended),
    )


def works() -> tuple[ColumnElement[bool], ...]:
    """Conditions of a link that can be opened now: it also pauses while its person is disabled."""
    return (*lasts(), ~exists().where(Account.id == Share.created_by, Account.disabled_at.is_not(None)))


def shows_anything(run_id: InstrumentedAttribute[UUID]) -> Exists:
    """Whether a link that works shows something of a run."""
    return exists().where(SharedRun.run_id == run_id, SharedRun.share_id == Share.id, *works())


def shows_charts(run_id: InstrumentedAttribute[UUID]) -> Exists:
    """Whether a link that works draws what is measured in a run; trends draw results only."""
    return shows_anything(run_id).where(Share.kind != ShareKind.trends)


async def count_opening(session: AsyncSession, share_id: UUID) -> None:
    """Once more. The row is locked until the commit."""
    counting = update(Share).where(Share.id == share_id)
    await session.execute(counting.values(opened=Share.opened + 1, last_opened_at=func.now()))


async def shares_of_run(session: AsyncSession, run_id: UUID) -> Sequence[Share]:
    """All that show something of it."""
    query = select(Share).where(Share.id.in_(_showing(run_id))).order_by(Share.created_at.desc())
    return (await session.scalars(query)).all()


async def shares_of_trends(session: AsyncSession, experiment_id: UUID) -> Sequence[Share]:
    query = select(Share).where(Share.experiment_id == experiment_id).order_by(Share.created_at.desc())
    return (await session.scalars(query)).all()


async def shares_that_last(session: AsyncSession, start: int, limit: int) -> tuple[Sequence[Share], int]:
    """Everybody's, newest first, and how many there are."""
    total = await session.scalar(select(func.count(Share.id)).where(*lasts()))
    query = select(Share).where(*lasts()).order_by(Share.created_at.desc(), Share.id).offset(start).limit(limit)
    return (await session.scalars(query)).all(), total or 0


async def set_runs(session: AsyncSession, share_id: UUID, run_ids: Collection[UUID]) -> None:
    others = delete(SharedRun).where(SharedRun.share_id == share_id, SharedRun.run_id.not_in(run_ids))
    await session.execute(others)
    if run_ids:
        rows = [{"share_id": share_id, "run_id": run_id} for run_id in run_ids]
        await session.execute(insert(SharedRun).values(rows).on_conflict_do_nothing())


async def keep_copy(session: AsyncSession, share_id: UUID, kept: Kept, content: bytes) -> None:
    """Store a copy in the place of an earlier one, without the files of that."""
    await session.execute(delete(ShareFile).where(ShareFile.share_id == share_id))
    values = kept._asdict() | {"content": content, "picture": None}
    adding = insert(ShareCopy).values(share_id=share_id, **values)
    await session.execute(adding.on_conflict_do_update(index_elements=[ShareCopy.share_id], set_=values))


async def content(session: AsyncSession, share_id: UUID) -> tuple[bytes, datetime] | None:
    """A copy, and when it was taken."""
    query = select(ShareCopy.content, ShareCopy.taken_at).where(ShareCopy.share_id == share_id)
    row = (await session.execute(query)).one_or_none()
    return (row[0], row[1]) if row is not None else None


async def kept(session: AsyncSession, share_ids: Sequence[UUID]) -> dict[UUID, Kept]:
    """What is known of copies, by share; without those that have no copy."""
    query = select(ShareCopy.share_id, ShareCopy.taken_at, ShareCopy.headline, ShareCopy.digest)
    rows = await session.execute(query.where(ShareCopy.share_id.in_(share_ids)))
    return {row.share_id: Kept(row.taken_at, row.headline, row.digest) for row in rows}


async def picture(session: AsyncSession, share_id: UUID) -> bytes | None:
    return await session.scalar(select(ShareCopy.picture).where(ShareCopy.share_id == share_id))


async def keep_picture(session: AsyncSession, share_id: UUID, taken_at: datetime, png: bytes) -> None:
    """Keep the picture of the copy of then, unless the copy was refreshed meanwhile."""
    drawn = update(ShareCopy).where(ShareCopy.share_id == share_id, ShareCopy.taken_at == taken_at)
    await session.execute(drawn.values(picture=png))


class FileKey(NamedTuple):
    share_id: UUID
    name: str
    language: str


async def file(session: AsyncSession, key: FileKey) -> bytes | None:
    found = await session.get(ShareFile, key)
    return found.content if found is not None else None


async def keep_file(session: AsyncSession, key: FileKey, taken_at: datetime, content: bytes) -> None:
    """Keep a file of the copy of then, unless the copy was refreshed meanwhile."""
    copy = select(ShareCopy.share_id).where(ShareCopy.share_id == key.share_id, ShareCopy.taken_at == taken_at)
    if await session.scalar(copy.with_for_update(key_share=True)) is not None:
        adding = insert(ShareFile).values(**key._asdict(), content=content)
        await session.execute(adding.on_conflict_do_nothing())


async def drop_ended_copies(session: AsyncSession) -> None:
    """Delete copies of links that have ended."""
    lasting = select(Share.id).where(*lasts())
    await session.execute(delete(ShareCopy).where(ShareCopy.share_id.not_in(lasting)))


async def bytes_of_copies(session: AsyncSession) -> int:
    """The tables of copies and of their files, with indexes."""
    size = text("SELECT pg_total_relation_size('share_copy') + pg_total_relation_size('share_file')")
    return await session.scalar(size) or 0
