"""Who may call an endpoint: what all such decisions share.

Each route carries exactly one decision, which a test sees to: :func:`public` here, a person's role in
``accounts.access``, a host's or the coordinator's credential in ``worker_api.access``. It is made before anything of
the request's body is read: :class:`GuardedRoute`.
"""

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from functools import cache
from typing import Any, Literal, TypeVar

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from ngxlab.core import payload
from ngxlab.core.database import Database

PUBLIC_BODY_BYTES = 128 << 10
"""Bounds what anyone may send: a sign-in, or an enrolment with its host's inventory."""

Caller = Literal["anyone", "viewer", "experimenter", "administrator", "host", "coordinator", "monitor"]
"""Who may call, as the API's document says it. Each role of a person includes the ones before it."""

_Decision = TypeVar("_Decision", bound=Callable[..., Awaitable[object]])


def decision(
    caller: Caller, *, before_body: Callable[..., Awaitable[object]] | None = None
) -> Callable[[_Decision], _Decision]:
    """Mark a dependency as a decision on who may call: it takes the request, or the request and a session.

    ``before_body``: says the same before the body is read, where the decision loads more than it needs to decide.
    """

    def mark(dependency: _Decision) -> _Decision:
        dependency.caller = caller  # type: ignore[attr-defined]
        dependency.before_body = before_body or dependency  # type: ignore[attr-defined]
        return dependency

    return mark


def bearer_token(request: Request) -> str | None:
    """The token of the Authorization header, if it has one."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


@decision("anyone")
async def public() -> None:
    """Dependency: anyone. Written out so that openness is a decision, not an omission."""


class _JsonRequest(Request):
    """A request whose body has been read strictly before FastAPI asks for it."""

    parsed: Any

    async def json(self) -> Any:
        return self.parsed


class GuardedRoute(APIRoute):
    """A route that knows who calls before it reads what they send.

    FastAPI reads and parses a body before it asks any dependency. Where there is a body, the route's decision is
    therefore made twice: here, in a transaction of its own, and as the dependency whose answer the endpoint gets.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        decisions = [getattr(decide, "before_body", decide) for decide in decisions_of(self.dependant)]

        async def handle_guarded(request: Request) -> Response:
            if _has_body(request):
                for decide in decisions:
                    await _decide(decide, request)
                if self.body_field is not None and _is_json(request):
                    request = _JsonRequest(request.scope, request.receive)
                    request.parsed = payload.parse(await request.body())
            return await handle(request)

        return handle_guarded


def _is_json(request: Request) -> bool:
    media_type = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return media_type == "application/json" or (media_type.startswith("application/") and media_type.endswith("+json"))


def decisions_of(dependant: Dependant) -> list[Callable[..., Awaitable[object]]]:
    """Decisions that a route carries, at any depth."""
    found = []
    for dependency in dependant.dependencies:
        if dependency.call is not None and hasattr(dependency.call, "caller"):
            found.append(dependency.call)
        else:
            found += decisions_of(dependency)
    return found


def _has_body(request: Request) -> bool:
    return "Transfer-Encoding" in request.headers or request.headers.get("Content-Length", "0") != "0"


@cache
def _parameters(decide: Callable[..., Awaitable[object]]) -> frozenset[str]:
    return frozenset(inspect.signature(decide).parameters)


async def _decide(decide: Callable[..., Awaitable[object]], request: Request) -> None:
    """Raises what the decision raises."""
    needed = _parameters(decide)
    if "session" in needed:
        database: Database = request.app.state.database
        async with database.transaction() as session:
            await decide(request=request, session=session)
    elif "request" in needed:
        await decide(request=request)
