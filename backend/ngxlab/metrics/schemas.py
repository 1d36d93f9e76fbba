"""Payloads of metrics."""

from uuid import UUID

from pydantic import BaseModel

from ngxlab.analysis.series.action_marks import ActionMark
from ngxlab.analysis.series.schemas import DerivedSeries


class TrialSeries(BaseModel):
    """All lines of a trial's charts, and their marks: at most as many successful ones a perturbation as points a line,
    and as many without success. Live points and actions with a later position than ``live_seq`` are not in it yet."""

    trial_id: UUID
    arm: str
    block: int
    live_seq: int
    series: list[DerivedSeries]
    actions: list[ActionMark]
