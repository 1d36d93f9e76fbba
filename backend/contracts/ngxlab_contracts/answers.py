"""What nginx answers to one real request of a stream."""

from typing import Annotated

from pydantic import Field

from ngxlab_contracts.base import ExactMessage, Natural

MOST_ANSWERS = 100
"""Streams have two requests at most, the first and the last of their paths, and a trial has at most 50 streams."""


class FirstAnswer(ExactMessage):
    """``status``: ``None`` where no answer came, for the reason in ``failure``. ``body_bytes``: as they came over the
    wire, so encoded by ``content_encoding``; what ``Content-Length`` says where the body was not read to its end."""

    stream: Annotated[str, Field(max_length=200)]
    method: Annotated[str, Field(max_length=20)]
    path: Annotated[str, Field(max_length=2100)]
    status: Natural | None = None
    content_type: Annotated[str, Field(max_length=200)] | None = None
    content_encoding: Annotated[str, Field(max_length=100)] | None = None
    body_bytes: Natural | None = None
    failure: Annotated[str, Field(max_length=500)] | None = None
