"""Payloads of metrics."""

from uuid import UUID

from pydantic import BaseModel

from ngxlab.metrics.derive_schemas import DerivedSeries


class TrialSeries(BaseModel):
    """All lines of a trial's charts. Live points with a later position than ``live_seq`` are not in it yet."""

    trial_id: UUID
    arm: str
    block: int
    live_seq: int
    series: list[DerivedSeries]
