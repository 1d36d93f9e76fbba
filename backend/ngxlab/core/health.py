"""/healthz: the process answers. /readyz: everything that it needs answers too."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Literal

from asyncpg import PostgresError
from fastapi import APIRouter, Depends, Request, Response, status
from ngxlab_contracts.version import VERSION
from pydantic import BaseModel, Field
from redis.exceptions import RedisError, ResponseError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from ngxlab.core.access import GuardedRoute, public
from ngxlab.core.config import Settings
from ngxlab.core.database import driver_error, is_away
from ngxlab.core.disk import full_disk
from ngxlab.core.jobs.repository import is_any_present
from ngxlab.core.migrate import head, revisions
from ngxlab.core.rehearsal import rehearsed

router = APIRouter(route_class=GuardedRoute, tags=["health"], dependencies=[Depends(public)])

_TIMEOUT_S = 3.0
_OLD_S = 45.0
"""The database's clock is read every twelve seconds."""

Ages = Mapping[str, Callable[[], float]]
"""What a process of the backend does all the time, each with the seconds since. ``app.state.loops`` holds them."""


class Health(BaseModel):
    status: Literal["ok"] = "ok"
    version: str = Field(VERSION, description="The version of this server.")


class Readiness(BaseModel):
    """``parts``: ``ok``, or what is wrong, for each thing the backend needs.

    ``coordinator`` and ``jobs``: the same for the coordinators and jobs services; the backend itself is ready without
    them. ``loops``: seconds since the database's clock was read, and since a coordinator last called.
    ``rehearsal_of``: the moment whose backup this server rehearses, if it does.
    """

    ready: bool
    parts: dict[str, str]
    coordinator: str
    jobs: str
    loops: dict[str, float]
    rehearsal_of: datetime | None = None


@router.get("/healthz")
async def healthz() -> Health:
    """The process is alive."""
    return Health()


async def look(check: Awaitable[str]) -> str:
    """What a check says, or why it says nothing."""
    try:
        return await asyncio.wait_for(check, _TIMEOUT_S)
    except TimeoutError:
        return f"no answer within {_TIMEOUT_S:g} s"
    except (SQLAlchemyError, RedisError, OSError, PostgresError) as error:
        reason = driver_error(error)
        if isinstance(reason, PostgresError) and is_away(reason):  # "the database system is starting up"
            return f"takes nobody: {reason.message}"
        return f"{type(reason).__name__}: cannot be reached"


async def postgresql(request: Request) -> str:
    """Whether the database answers, and has the schema of this version."""
    async with request.app.state.database.transaction() as session:
        current = await session.scalar(text("SELECT version_num FROM alembic_version"))
        if current == head():
            request.state.rehearsal_of = await rehearsed(session)
            return "ok"
    if current not in revisions():
        return f"schema is at {current}, which a newer version of ngxlab made: start that version, or a newer one"
    return f"schema is at {current}, this version needs {head()}: run the migrations"


async def _redis(request: Request) -> str:
    try:
        await request.app.state.redis.set("ngxlab:written-by-readyz", "1", ex=60)
    except ResponseError as error:
        return f"takes no writes: {error}"
    return "ok"


async def _disk(request: Request) -> str:
    settings: Settings = request.app.state.settings
    return (settings.data_dir and full_disk(settings.data_dir)) or "ok"


async def _coordinator(request: Request) -> str:
    """The coordinator's state; notes its age, which ``/readyz`` shows among those of the loops."""
    async with request.app.state.database.transaction() as session:
        state, request.state.coordinator_age_s = await request.app.state.coordinators(session)
    return str(state)


async def _jobs(request: Request) -> str:
    async with request.app.state.database.transaction() as session:
        return "ok" if await is_any_present(session) else "none runs"


async def _live(request: Request) -> str:
    return "ok" if request.app.state.database.bus.subscribed.is_set() else "not subscribed yet"


@router.get("/readyz", responses={status.HTTP_503_SERVICE_UNAVAILABLE: {"model": Readiness}})
async def readyz(request: Request, response: Response) -> Readiness:
    """PostgreSQL with the right schema, Redis, the live subscription, room on the disk, and loops that go round."""
    checks = {"postgresql": postgresql, "redis": _redis, "live": _live, "disk": _disk}
    request.state.coordinator_age_s = request.state.rehearsal_of = None
    others = (_coordinator, _jobs)
    coordinator, jobs, *found = await asyncio.gather(*(look(check(request)) for check in (*others, *checks.values())))
    ages: Ages = request.app.state.loops
    loops = {name: round(age_s(), 3) for name, age_s in ages.items()}
    parts = dict(zip(checks, found, strict=True)) | {name: _liveliness(age_s) for name, age_s in loops.items()}
    ready = all(state == "ok" for state in parts.values())
    if not ready:
        response.status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    if (age_s := request.state.coordinator_age_s) is not None:
        loops["coordinator"] = round(age_s, 3)
    return Readiness(
        ready=ready, parts=parts, coordinator=coordinator, jobs=jobs, loops=loops,
        rehearsal_of=request.state.rehearsal_of,
    )  # fmt: skip


def _liveliness(age_s: float) -> str:
    return "ok" if age_s <= _OLD_S else f"last went round {age_s:.0f} s ago"
