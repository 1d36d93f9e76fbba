"""Payloads of chosen windows. Seconds count from the start of the planned window and are negative in the warm-up."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field

from ngxlab.analysis.schemas import ChosenWindow
from ngxlab.core.payload import Payload, Prose

Seconds = Annotated[float, Field(ge=-600, le=3600, allow_inf_nan=False)]


class WindowChoice(Payload):
    """The window of all trials of a run. ``reason`` is shown in the report."""

    start_s: Seconds
    end_s: Seconds
    reason: Annotated[Prose, Field(max_length=300)] | None = None


class TrialWindowChoice(WindowChoice):
    """The window of one trial, an exception, which needs a reason."""

    reason: Annotated[Prose, Field(min_length=3, max_length=300)]


class WindowChangeOut(BaseModel):
    """One change. ``changed_by``: ``None`` in a shared report, which names no person."""

    trial_id: UUID | None = Field(description="None: all trials of the run")
    window: ChosenWindow | None = Field(description="None: back to the planned window")
    reason: str | None
    changed_by: str | None
    changed_at: datetime


class TrialWindow(BaseModel):
    trial_id: UUID
    window: ChosenWindow


class RunWindows(BaseModel):
    """What a report says of the windows it rests on. ``earliest_s``: when the load began.

    ``changes``: all that were made, the latest first, also those that are no longer in force.
    """

    planned: ChosenWindow
    earliest_s: float
    run: ChosenWindow | None
    trials: list[TrialWindow]
    changes: list[WindowChangeOut]
    may_choose: bool = Field(description="whether the reader may choose another window")
