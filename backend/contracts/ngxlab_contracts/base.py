"""The strict base of every wire message."""

from pydantic import BaseModel, ConfigDict


class Message(BaseModel):
    """Immutable. Unknown fields are refused, so that a version skew is an error instead of a silent loss."""

    model_config = ConfigDict(extra="forbid", frozen=True)
