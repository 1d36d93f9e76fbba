"""The strict base of every wire message."""

from pydantic import BaseModel, ConfigDict


class Message(BaseModel):
    """Immutable, and closed to unknown fields, so that a version skew is an error and not a silent loss."""

    model_config = ConfigDict(extra="forbid", frozen=True)
