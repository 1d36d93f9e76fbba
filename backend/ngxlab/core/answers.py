"""What holds for every answer: its headers, its form if it is an error, and which addresses are answered at all.

The outermost layer, so that it covers the answers of the framework itself too. Pages and files are nginx's
(``ngxlab.front``).
"""

import asyncio
from http import HTTPStatus
from urllib.parse import parse_qsl

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ngxlab.core.errors import FieldProblem, TooSlow
from ngxlab.core.payload import not_allowed
from ngxlab.core.problems import problem
from ngxlab.front.answers import PRIVATE_HEADERS

BODY_SECONDS = 120.0
"""64 MiB in this time is 4.5 Mbit/s. nginx bounds only the time between two pieces of a body."""


class SoundAnswers:
    """Wraps the whole application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, receive, send)
        if (refusal := _refused_address(scope)) is not None:
            await refusal(scope, receive, answer.send)
        else:
            await self._app(scope, _Body(receive).receive, answer.send)


class _Body:
    """What is sent must arrive within a time, which begins when the first piece is asked for."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._deadline_s: float | None = None
        self._arrived = False

    async def receive(self) -> Message:
        if self._arrived:  # what is waited for now is the end of the connection
            return await self._receive()
        if self._deadline_s is None:
            self._deadline_s = asyncio.get_running_loop().time() + BODY_SECONDS
        try:
            async with asyncio.timeout_at(self._deadline_s):
                message = await self._receive()
        except TimeoutError as error:
            raise TooSlow("The request took too long to arrive.") from error
        self._arrived = not message.get("more_body", False)
        return message


class _Answer:
    """Adds the headers that are missing, and turns an error in plain text into a problem document."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._replaced = False

    async def send(self, message: Message) -> None:
        if self._replaced:
            return
        if message["type"] != "http.response.start":
            await self._send(message)
            return
        headers = MutableHeaders(scope=message)
        status: int = message["status"]
        if status >= HTTPStatus.BAD_REQUEST and headers.get("Content-Type", "").startswith("text/plain"):
            self._replaced = True
            await _plain_problem(status)(self._scope, self._receive, self._send_with_headers)
            return
        await self._send_with_headers(message)

    async def _send_with_headers(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in PRIVATE_HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)


def _plain_problem(status: int) -> Response:
    phrase = HTTPStatus(status).phrase
    return problem(status, f"{phrase}.", phrase.lower().replace(" ", "-"))


def _refused_address(scope: Scope) -> Response | None:
    """The answer to an address that has a NUL, which no file, no text in PostgreSQL and no id can contain."""
    if "\0" in scope["path"]:
        return _with_nul("path")
    if b"%00" in scope["query_string"]:
        for name, value in parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True):
            if "\0" in name or "\0" in value:
                return _with_nul(name.replace("\0", "U+0000"))
    return None


def _with_nul(field: str) -> Response:
    message = not_allowed("\0")
    errors = [FieldProblem(field=field, message=message)]
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, f"{field}: {message}", "invalid", errors)
