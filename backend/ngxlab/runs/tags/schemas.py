"""Payloads of tags."""

from typing import Annotated

from pydantic import BaseModel, Field

from ngxlab.core.payload import Payload
from ngxlab.runs.tags.tag import MOST_OF_A_RUN, Tag

_Tags = Annotated[list[Tag], Field(max_length=MOST_OF_A_RUN)]


class TagChange(Payload):
    """What is there already is added again without effect, and what is not there is removed likewise."""

    add: _Tags = []
    remove: _Tags = []


class RunTags(BaseModel):
    """All tags of a run, in alphabetical order."""

    tags: list[str]
