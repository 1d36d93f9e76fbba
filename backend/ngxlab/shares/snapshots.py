"""What a link shows: kept when its owner made or refreshed it, so that nobody else changes what was sent around."""

import asyncio
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, TypeVar
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.errors import Conflict, NotFound
from ngxlab.core.stored_json import read
from ngxlab.reports.redaction import redacted
from ngxlab.reports.schemas import Report
from ngxlab.shares import repository
from ngxlab.shares.models import Share
from ngxlab.shares.picture import card, png
from ngxlab.shares.subjects import Subject, subject_of, unknown_link


class Shown(NamedTuple):
    """``as_of``: when it was kept; ``None`` for what goes on, of which a link shows what is so at the moment."""

    content: BaseModel
    as_of: datetime | None


async def shown(session: AsyncSession, share: Share) -> Shown:
    """What has ended since the link was made is kept when the link is opened for the first time after."""
    stored = await repository.content(session, share.id)
    if stored is None:
        return await take(session, share, subject_of(share))
    content, taken_at = stored
    return Shown(await asyncio.to_thread(unpacked, subject_of(share).model, content), taken_at)


async def shown_report(session: AsyncSession, share: Share) -> tuple[Report, datetime | None]:
    """With ``as_of``, as of :class:`Shown`. Raises NotFound for a link that shows something else."""
    content, as_of = await shown(session, share)
    if not isinstance(content, Report):
        raise unknown_link()
    return content, as_of


async def picture(session: AsyncSession, share: Share) -> bytes:
    """A PNG of what a link shows, drawn once. Raises NotFound for what goes on: it has no picture yet."""
    if (drawn := await repository.picture(session, share.id)) is not None:
        return drawn
    subject, stored = subject_of(share), await repository.content(session, share.id)
    if stored is None:
        raise NotFound("There is no picture of what goes on.", code="no-picture")
    title, (content, taken_at) = redacted(await subject.title(session)), stored
    drawn = await asyncio.to_thread(lambda: png(card(title, unpacked(subject.model, content))))
    await repository.keep_picture(session, share.id, taken_at, drawn)
    return drawn


async def take(session: AsyncSession, share: Share, subject: Subject) -> Shown:
    """What is so now, kept unless it goes on."""
    now = await subject.now(session)
    if not await repository.lock_if_it_works(session, share.id):
        raise unknown_link()
    await repository.set_runs(session, share.id, now.runs)
    if now.goes_on:
        return Shown(now.content, None)
    content, own = await asyncio.to_thread(lambda: (packed(now.content), digest(now.content)))
    kept = repository.Kept(utcnow(), now.headline, own)
    await repository.keep_copy(session, share.id, kept, content)
    return Shown(now.content, kept.taken_at)


async def outdated(session: AsyncSession, shares: Sequence[Share], kept: Mapping[UUID, repository.Kept]) -> set[UUID]:
    """The shares whose copies say something else than is so now. What cannot be read now says nothing."""
    digests: dict[str, str | None] = {}
    found = set()
    for share in shares:
        if share.id not in kept:
            continue
        subject = subject_of(share)
        if (key := repr(subject)) not in digests:
            digests[key] = await _digest_now(session, subject)
        if digests[key] not in {None, kept[share.id].digest}:
            found.add(share.id)
    return found


async def _digest_now(session: AsyncSession, subject: Subject) -> str | None:
    try:
        now = await subject.now(session)
    except Conflict:
        return None
    return await asyncio.to_thread(digest, now.content)


_MOST_BYTES = 32 << 20
"""Bounds the JSON; a report of 1,000 trials takes a third of it."""

_Model = TypeVar("_Model", bound=BaseModel)


def packed(content: BaseModel) -> bytes:
    """Raises Conflict for more than a share may keep."""
    text = content.model_dump_json().encode()
    if len(text) > _MOST_BYTES:
        raise Conflict(
            "It takes {size} MB; a link keeps at most {most} MB. Export it instead.",
            size=len(text) >> 20,
            most=_MOST_BYTES >> 20,
            code="too-large-to-share",
        )
    return zlib.compress(text)


def unpacked(model: type[_Model], content: bytes) -> _Model:
    """Raises Unreadable for what an older version has stored and this one cannot read any more."""
    try:
        value = json.loads(zlib.decompressobj().decompress(content, _MOST_BYTES))
    except (zlib.error, ValueError):
        value = None
    return read(model, value, "What this link shows")


def digest(content: BaseModel) -> str:
    """Equal for what says the same. The list of series comes from the product, and says nothing of the run; nor does
    another version of the method that judges it alike."""
    said = content.model_dump(mode="json", exclude={"catalogue", "judged"})
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
