"""The strict base of every wire message."""

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, FailFast

Item = TypeVar("Item")
Items = Annotated[list[Item], FailFast()]
"""A long list: the first wrong item ends the reading, so that a list of wrong ones costs no more than a right one."""


class Message(BaseModel):
    """Immutable, and closed to unknown fields, so that a version skew is an error and not a silent loss."""

    model_config = ConfigDict(extra="forbid", frozen=True)
