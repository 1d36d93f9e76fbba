"""Payloads of metrics."""

from uuid import UUID

from ngxlab_contracts.sentences import Sentence
from pydantic import BaseModel, Field

from ngxlab.analysis.series.action_marks import ActionMark
from ngxlab.analysis.series.moment_schemas import MomentEvent, MomentJump
from ngxlab.analysis.series.schemas import DerivedSeries, LatencyMap


class TrialSeries(BaseModel):
    """All lines of a trial's charts, and the marks of its actions.

    ``actions``: for each perturbation at most as many successful ones as points a line, and as many failed ones. All
    that the run's live stream had until its position ``live_seq`` is included.
    """

    trial_id: UUID
    arm: str
    block: int
    live_seq: int
    series: list[DerivedSeries]
    actions: list[ActionMark]
    unreadable: list[str] = Field(description="what of the stored data was left out, and why")


class TrialLatencyMaps(BaseModel):
    """Latency over the time of a trial: a map for each stream that served any request."""

    trial_id: UUID
    maps: list[LatencyMap]


class TrialMoment(BaseModel):
    """What happened around a moment of a trial. Nothing is said to cause anything."""

    trial_id: UUID
    from_s: float = Field(description="in seconds since the start of the measured window")
    to_s: float = Field(description="likewise")
    actions: list[ActionMark] = Field(description="of perturbations, that had not ended before nor begin after")
    events: list[MomentEvent] = Field(description="what else hosts reported, and lines of nginx's error log, by time")
    unknown: list[Sentence] = Field(description="what of nginx's error log is not known, not yet or not shown")
    jumps: list[MomentJump] = Field(description="lines of charts that stood out then, the farthest first")
