"""What is known of the request being answered, wherever the code is: its id and the address it came from."""

from contextvars import ContextVar
from dataclasses import dataclass
from uuid import uuid4

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

REQUEST_ID_HEADER = "X-Request-Id"
_MAX_ADDRESS = 64
FRONT = "front"
"""The address of whoever calls over the backend's Unix socket, which is in nobody's reach but that of its own nginx."""


class FromFront:
    """Gives callers over the Unix socket an address, so that what they say of the caller's can be trusted."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope.get("client") is None:
            scope["client"] = (FRONT, 0)
        await self._app(scope, receive, send)


@dataclass(frozen=True)
class RequestContext:
    """``address``: of the connection, or as a trusted proxy tells it; None where it is unknown."""

    request_id: str
    address: str | None


_current: ContextVar[RequestContext | None] = ContextVar("request", default=None)


def current_request() -> RequestContext | None:
    """The request being answered; None outside of any, as on an operator's command line."""
    return _current.get()


def work_for(request: RequestContext | None) -> None:
    """From now on, this process works for a request that another one answers."""
    _current.set(request)


def new_request_id() -> str:
    return uuid4().hex


class RequestContextMiddleware:
    """Gives each request an id, which its answer, its log lines and its audit entries carry."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = new_request_id()
        client = scope.get("client")

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = request_id
            await send(message)

        reset = _current.set(RequestContext(request_id, client[0][:_MAX_ADDRESS] if client else None))
        try:
            with structlog.contextvars.bound_contextvars(request_id=request_id):
                await self._app(scope, receive, send_with_id)
        finally:
            _current.reset(reset)
