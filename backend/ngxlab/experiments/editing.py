"""Who edits an experiment at this moment, and which version is the newest: what an open editor asks now and then.

An editor counts for as long as it asks. Who is there is kept in Redis only, since nothing is decided by it: without
Redis nobody is told of the others, and saving is guarded by the version as ever.
"""

from datetime import datetime, timedelta
from uuid import UUID

import structlog
from pydantic import BaseModel, ValidationError
from redis.exceptions import RedisError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller
from ngxlab.core.clock import utcnow
from ngxlab.core.database import bus_of
from ngxlab.experiments import repository, service
from ngxlab.experiments.schemas import Editing, EditingRequest, Editor

log = structlog.get_logger()

GONE_AFTER = timedelta(seconds=30)
"""An editor that has asked nothing for so long is closed, or its page is out of sight."""
MOST = 100
"""Editors of one experiment that are kept; a script that invents more is told of no more."""
_PREFIX = "ngxlab:editing:"


class _Seen(BaseModel):
    """What is kept of an open editor."""

    account_id: UUID
    name: str
    version: int
    at: datetime


async def noted(session: AsyncSession, caller: Caller, experiment_id: UUID, request: EditingRequest) -> Editing:
    """Note the caller's editor, and tell it of the others. Raises NotFound."""
    await service.get(session, experiment_id)
    latest, author = await repository.latest_version_by(session, experiment_id)
    others = await _others(session, caller, experiment_id, request)
    return Editing(version=latest.number, saved_at=latest.created_at, saved_by=author, now=utcnow(), others=others)


async def _others(
    session: AsyncSession, caller: Caller, experiment_id: UUID, request: EditingRequest
) -> list[Editor] | None:
    redis, key, now = bus_of(session).redis, f"{_PREFIX}{experiment_id}", utcnow()
    own = _Seen(account_id=caller.account.id, name=caller.account.email, version=request.base_version, at=now)
    try:
        async with redis.pipeline(transaction=False) as pipeline:
            pipeline.hgetall(key)
            pipeline.hset(key, str(request.editor), own.model_dump_json())
            pipeline.expire(key, GONE_AFTER)
            kept = (await pipeline.execute())[0]
        seen = {_text(editor): _read(text) for editor, text in kept.items()}
        gone = [editor for editor, one in seen.items() if one is None or now - one.at > GONE_AFTER]
        if surplus := [*gone, *list(seen)[MOST:]]:
            await redis.hdel(key, *surplus)
    except RedisError as error:
        log.warning("who edits is unknown", error=str(error))
        return None
    return [
        Editor(name=one.name, is_self=one.account_id == caller.account.id, version=one.version)
        for editor, one in seen.items()
        if one is not None and editor not in gone and editor != str(request.editor)
    ]


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _read(text: bytes | str) -> _Seen | None:
    try:
        return _Seen.model_validate_json(text)
    except ValidationError:
        return None  # of another version of ngxlab
