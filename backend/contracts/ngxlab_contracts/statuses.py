"""Which HTTP statuses a stream expects: those that serve a request, and those that reject it on purpose."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

Status = Annotated[int, Field(ge=200, le=599)] | Literal["2xx", "3xx", "4xx", "5xx"]
"""One status, or all of a class (RFC 9110, 15). 1xx are no final responses."""

StatusList = Annotated[list[Status], Field(max_length=50)]

SERVED: tuple[Status, ...] = ("2xx", "3xx")
"""What serves a request, unless a stream says otherwise."""


def covers(statuses: Iterable[Status], status: int) -> bool:
    """Whether ``status`` is one of them, alone or by its class."""
    return any(entry == status or entry == f"{status // 100}xx" for entry in statuses)
