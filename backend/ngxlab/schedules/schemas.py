"""Payloads of schedules."""

from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from ngxlab.core.payload import Payload
from ngxlab.runs.schemas import RunCreate
from ngxlab.runs.states import RunState
from ngxlab.schedules.models import Outcome
from ngxlab.schedules.timing import Day, Timing


class ScheduleCreate(Payload):
    """``run``: what each run is started with; a seed would make all of them the same order, so it is left out."""

    timing: Timing
    run: RunCreate
    last_day: Day | None = Field(default=None, description="the last day, in the schedule's time zone")
    most_runs: Annotated[int, Field(ge=1, le=1_000)] | None = Field(
        default=None, description="it ends once it has started so many runs"
    )


class ScheduleUpdate(Payload):
    paused: bool


class OccurrenceOut(BaseModel):
    """What became of one time of a schedule."""

    due_at: datetime
    outcome: Outcome
    reason: str | None
    run_id: UUID | None
    run_number: int | None
    run_state: RunState | None


class ScheduleOut(BaseModel):
    """Times at which an experiment runs by itself. ``latest``: what became of its last ten times, newest first."""

    id: UUID
    experiment_id: UUID
    experiment_name: str
    created_by: str
    by_token: str | None = Field(
        description="the API token that made or resumed it, and with which it ends, until somebody resumes it in person"
    )
    created_at: datetime
    may_change: bool
    timing: Timing | None = Field(description="null where what is stored cannot be read")
    text: str = Field(description="the timing in words")
    state: Literal["active", "paused", "ended"]
    pause_reason: str | None = Field(description="why it was paused, where nobody did so by hand")
    next_at: datetime | None
    last_day: date | None
    most_runs: int | None
    started: int = Field(description="how many runs it has started")
    latest: list[OccurrenceOut]
