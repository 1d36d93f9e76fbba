"""/healthz: the process answers. /readyz: everything that it needs answers too."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Literal

from alembic.script import ScriptDirectory
from fastapi import APIRouter, Depends, Request, Response, status
from pydantic import BaseModel
from redis.exceptions import RedisError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from ngxlab.core.access import GuardedRoute, public
from ngxlab.core.config import Settings
from ngxlab.core.disk import full_disk
from ngxlab.core.migrate import alembic_config

router = APIRouter(route_class=GuardedRoute, tags=["health"], dependencies=[Depends(public)])

_TIMEOUT_S = 3.0
_OLD_S = 15.0
"""A loop whose last round is older stands still: each goes round about once a second."""

Ages = Mapping[str, Callable[[], float]]
"""The backend's own loops by name, each with the seconds since its last round. ``app.state.loops`` holds them."""


class Health(BaseModel):
    status: Literal["ok"] = "ok"


class Readiness(BaseModel):
    """``parts``: ``ok``, or what is wrong, for each thing the backend needs and each loop of its own.

    ``coordinator``: the same for the coordinators; the backend itself is ready without one. ``loops``: seconds since
    the last round of each loop, and since a coordinator last called.
    """

    ready: bool
    parts: dict[str, str]
    coordinator: str
    loops: dict[str, float]


@router.get("/healthz")
async def healthz() -> Health:
    """The process is alive."""
    return Health()


async def _look(check: Awaitable[str]) -> str:
    try:
        return await asyncio.wait_for(check, _TIMEOUT_S)
    except TimeoutError:
        return f"no answer within {_TIMEOUT_S:g} s"
    except (SQLAlchemyError, RedisError, OSError) as error:
        return f"{type(error).__name__}: cannot be reached"


@cache
def _schema_of_this_version() -> str | None:
    return ScriptDirectory.from_config(alembic_config()).get_current_head()


async def _postgresql(request: Request) -> str:
    async with request.app.state.database.transaction() as session:
        current = await session.scalar(text("SELECT version_num FROM alembic_version"))
    head = _schema_of_this_version()
    return "ok" if current == head else f"schema is at {current}, this version needs {head}: run the migrations"


async def _redis(request: Request) -> str:
    await request.app.state.redis.ping()
    return "ok"


async def _disk(request: Request) -> str:
    settings: Settings = request.app.state.settings
    return (settings.data_dir and full_disk(settings.data_dir)) or "ok"


async def _coordinator(request: Request) -> str:
    """Also notes the age, which ``/readyz`` shows among those of the loops."""
    async with request.app.state.database.transaction() as session:
        state, request.state.coordinator_age_s = await request.app.state.coordinators(session)
    return str(state)


async def _live(request: Request) -> str:
    return "ok" if request.app.state.database.bus.subscribed.is_set() else "not subscribed yet"


@router.get("/readyz", responses={status.HTTP_503_SERVICE_UNAVAILABLE: {"model": Readiness}})
async def readyz(request: Request, response: Response) -> Readiness:
    """PostgreSQL with the right schema, Redis, the live subscription, room on the disk, and loops that go round."""
    checks = {"postgresql": _postgresql, "redis": _redis, "live": _live, "disk": _disk}
    request.state.coordinator_age_s = None
    coordinator, *found = await asyncio.gather(*(_look(check(request)) for check in (_coordinator, *checks.values())))
    ages: Ages = request.app.state.loops
    loops = {name: round(age_s(), 3) for name, age_s in ages.items()}
    parts = dict(zip(checks, found, strict=True)) | {name: _liveliness(age_s) for name, age_s in loops.items()}
    ready = all(state == "ok" for state in parts.values())
    if not ready:
        response.status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    if (age_s := request.state.coordinator_age_s) is not None:
        loops["coordinator"] = round(age_s, 3)
    return Readiness(ready=ready, parts=parts, coordinator=coordinator, loops=loops)


def _liveliness(age_s: float) -> str:
    return "ok" if age_s <= _OLD_S else f"last went round {age_s:.0f} s ago"
