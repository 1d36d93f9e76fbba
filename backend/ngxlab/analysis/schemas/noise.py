"""How much values scatter although nothing differs."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from ngxlab.analysis.schemas.metric import Scale
from ngxlab.analysis.schemas.model import AnalysisModel


class MetricNoise(AnalysisModel):
    """The scatter of one metric over the blocks, from several arms. ``metric``: its name, ``STREAM.KEY`` of a stream.

    On the ratio scale ``deviation`` is that of ln(value); else both numbers are in the metric's unit.
    """

    metric: str
    title: str
    unit: str
    scale: Scale
    deviation: float = Field(description="of one value within its block; of ln(value) on the ratio scale")
    degrees: float = Field(description="degrees of freedom of the deviation")
    half_width: float = Field(description="of the 95 % interval between two of the arms; 0.03 is 3 % of a ratio")
    blocks: int
    within_share: float | None = Field(
        default=None,
        description="of the variance within blocks, what comes from within trials, so that longer trials would have "
        "less of it; None where it is not known",
    )
    block_deviation: float | None = Field(
        default=None, description="of what all trials of a block share, on the scale of ``deviation``; no claim has it"
    )
    differ: bool = Field(description="an interval excludes no change: of identical arms, in 5 % by chance")


class CalibrationUse(AnalysisModel):
    """The A/A calibration from which a run takes its margins."""

    run_id: UUID | None = Field(description="None where the run was deleted")
    taken_at: datetime
    hosts: list[str]
    noise: list[MetricNoise]
