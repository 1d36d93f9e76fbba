"""Payloads of notes."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints, model_validator

from ngxlab.core.payload import Id, Payload, Prose
from ngxlab.runs.schemas import Seconds

MOST_CHARACTERS = 4_000
MOST_OF_A_RUN = 200

_Text = Annotated[Prose, StringConstraints(strip_whitespace=True), Field(min_length=1, max_length=MOST_CHARACTERS)]


class NoteChange(Payload):
    """``text``: Markdown."""

    text: _Text


class NoteCreate(NoteChange):
    """A note on the run as a whole, on one of its trials, or on a moment of one."""

    trial_id: Id | None = None
    t_s: Seconds | None = Field(
        default=None, description="a moment of the trial, in seconds since the start of its planned window"
    )

    @model_validator(mode="after")
    def _has_a_trial(self) -> Self:
        if self.t_s is not None and self.trial_id is None:
            raise ValueError("a moment is of a trial: name it as trial_id")
        return self


class NoteOut(BaseModel):
    """A note as its reader sees it. ``author``: ``None`` in a shared report, which names no person."""

    id: UUID
    trial_id: UUID | None = Field(description="None: the run as a whole")
    t_s: float | None = Field(description="a moment of the trial, in seconds since the start of its planned window")
    text: str = Field(description="Markdown")
    author: str | None
    created_at: datetime
    edited_at: datetime | None
    may_change: bool = Field(description="whether the reader may edit and delete it")
