"""No endpoint reads what a stranger sends, and nobody is read without end."""

import asyncio
import re
from typing import Any
from unittest.mock import MagicMock

import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts
from ngxlab.core.access import PUBLIC_BODY_BYTES, public
from ngxlab.core.bus import Bus
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.main import create_app
from starlette.types import Message

_UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
_NOWHERE = "00000000-0000-0000-0000-000000000000"
_SETTINGS = Settings(
    DATABASE_URL="postgresql://nobody@127.0.0.1:1/none",
    REDIS_URL="redis://127.0.0.1:1",
    coordinator_token="c" * 32,
)


def _is_public(dependant: Dependant) -> bool:
    return any(d.call is public or _is_public(d) for d in dependant.dependencies)


def _unsafe(context: RouteContext) -> set[str]:
    return (context.methods or set()) & _UNSAFE


def _unsafe_routes() -> list[RouteContext]:
    contexts = iter_route_contexts(create_app(_SETTINGS).routes)
    return [c for c in contexts if isinstance(c.original_route, APIRoute) and _unsafe(c)]


_ROUTES = {f"{method} {c.path}": c for c in _unsafe_routes() for method in _unsafe(c)}
_CLOSED = [name for name, context in _ROUTES.items() if not _is_public(context.dependant)]
_OPEN = [name for name in _ROUTES if name not in _CLOSED]


@pytest.fixture(scope="module")
def app() -> FastAPI:
    """Its database is nowhere: who sends no credential is refused without it."""
    app = create_app(_SETTINGS)
    app.state.database = Database(_SETTINGS.database_url.get_secret_value(), MagicMock(Bus))
    return app


def _ask(app: FastAPI, name: str, *headers: tuple[bytes, bytes], piece: bytes = b"[" * 65_536) -> tuple[int, int]:
    """The answer's status, and how many pieces of an endless body were read."""
    method, _, path = name.partition(" ")
    path = re.sub(r"\{[^}]*\}", _NOWHERE, path)
    scope: dict[str, Any] = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "headers": [(b"host", b"lab"), (b"content-type", b"application/json"), *headers],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2),
    }  # fmt: skip
    read, statuses = 0, []

    async def receive() -> Message:
        nonlocal read
        read += 1
        assert read < 1_000, "reads on"
        return {"type": "http.request", "body": piece, "more_body": True}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    asyncio.run(app(scope, receive, send))
    (status,) = statuses
    return status, read


_CHUNKED = (b"transfer-encoding", b"chunked")


@pytest.mark.parametrize("name", _CLOSED)
def test_a_strangers_body_is_not_read(app: FastAPI, name: str) -> None:
    assert _ask(app, name, _CHUNKED) == (401, 0)
    assert _ask(app, name, (b"content-length", b"1000000")) == (401, 0)


@pytest.mark.parametrize("length", [b"16777216", b"00", b"-1", b"x"])
def test_whatever_length_a_stranger_tells(app: FastAPI, length: bytes) -> None:
    name = "POST /api/v1/agent/trials/{trial_id}/batches"
    assert _ask(app, name, (b"content-length", length)) == (401, 0)


@pytest.mark.parametrize("name", _OPEN)
def test_what_anyone_may_send_is_short(app: FastAPI, name: str) -> None:
    status, read = _ask(app, name, _CHUNKED)
    assert status == 413
    assert read <= PUBLIC_BODY_BYTES // 65_536 + 1
    assert _ask(app, name, (b"content-length", str(PUBLIC_BODY_BYTES + 1).encode())) == (413, 0)


def test_only_signing_in_and_joining_are_open() -> None:
    assert set(_OPEN) == {f"POST /api/v1/{path}" for path in ("auth/login", "agent/enrol", "agent/enrol/check")}
    assert len(_CLOSED) > 20
