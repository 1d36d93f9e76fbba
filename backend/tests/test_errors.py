"""What is logged of an unexpected error, and what is not."""

import asyncio
import json
from collections.abc import Iterator

import httpx2
from fastapi import FastAPI, Request
from ngxlab.core import errors, problems
from ngxlab.core.subprocess_pool.process import raised, refusal
from ngxlab_contracts.sentences import say
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


def test_a_problem_has_its_text_and_what_it_is_made_of() -> None:
    error = errors.Conflict("{host} is draining: {count:,} trials.", host="web-1", count=1200, code="host-draining")
    for told in (error, raised(refusal(error))):
        answer = json.loads(bytes(problems.problem(told.status, told.detail, told.code).body))
        assert answer["detail"] == "web-1 is draining: 1,200 trials."
        assert answer["said"]["template"] == "{host} is draining: {count} trials."
        assert answer["said"]["values"]["host"] == "web-1"


def test_a_problem_without_values_is_looked_up_by_its_text() -> None:
    field = errors.invalid("seed", "Leave it out.")
    answer = json.loads(bytes(problems.problem(field.status, field.detail, field.code, field.errors).body))
    assert "said" not in answer
    assert answer["errors"] == [{"field": "seed", "message": "Leave it out."}]


def test_what_a_message_quotes_is_cut_off_and_says_nothing_in_other_languages() -> None:
    field = errors.FieldProblem(field="a", message=say("no such name: {name}", name="x" * 9000))
    (shown,) = json.loads(bytes(problems.problem(422, "Wrong.", "invalid", [field]).body))["errors"]
    assert len(shown["message"]) == 1000
    assert "said" not in shown
