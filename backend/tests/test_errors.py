"""What is logged of an unexpected error, and what is not."""

import asyncio
import json
from collections.abc import Iterator

import httpx2
from fastapi import FastAPI, Request
from ngxlab.core import problems
from starlette.types import Message
from structlog.testing import capture_logs

SECRET = "the-secret-of-a-link"


def test_the_secret_of_a_link_is_not_logged() -> None:
    app = FastAPI()
    problems.install(app)

    @app.get("/shared/{token}")
    async def shared(token: str) -> None:
        raise RuntimeError("out of order")

    async def ask() -> httpx2.Response:
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://lab") as client:
            return await client.get(f"/shared/{SECRET}?also={SECRET}")

    with capture_logs() as logged:
        answer = asyncio.run(ask())
    assert (answer.status_code, answer.json()["code"]) == (500, "internal-error")
    (entry,) = logged
    assert entry["route"] == "/shared/{token}"
    assert SECRET not in json.dumps(entry, default=str)


def test_bodies_that_break_off_leave_one_line() -> None:
    app = FastAPI()
    problems.install(app)

    @app.post("/login")
    async def login(request: Request) -> None:
        await request.body()

    async def break_off() -> int:
        arrived: Iterator[Message] = iter(
            [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
        )
        answers: list[Message] = []

        async def receive() -> Message:
            return next(arrived)

        async def send(message: Message) -> None:
            answers.append(message)

        scope = {"type": "http", "method": "POST", "path": "/login", "query_string": b"", "headers": [], "state": {}}
        await app(scope, receive, send)
        return int(answers[0]["status"])

    async def many() -> list[int]:
        return [await break_off() for _ in range(40)]

    with capture_logs() as logged:
        assert asyncio.run(many()) == [400] * 40
    (entry,) = logged
    assert (entry["log_level"], "exc_info" in entry) == ("warning", False)
