"""How the arms of a run that began with many were chosen."""

from ngxlab_contracts.sentences import Sentence
from pydantic import Field

from ngxlab.analysis.schemas.metric import AnalysisModel, Scale


class HeatArm(AnalysisModel):
    """An arm in one heat. It is stored as it was when the heat ended."""

    arm: str
    values: list[float | None] = Field(description="of the heat's blocks; None where there is none")
    mean: float | None = Field(description="over all heats so far; the geometric mean where arms have ratios")
    change: float | None = Field(description="against the baseline, over all heats so far: a ratio or a difference")
    text: Sentence | None = Field(default=None, description="the change, as reports write it")
    stays: bool
    reason: Sentence | None = Field(default=None, description="why it was dropped")


class Heat(AnalysisModel):
    number: int = Field(description="from 1")
    arms: list[HeatArm] = Field(description="the baseline, then the others, the best first")


class RunSelection(AnalysisModel):
    """Which arms of many were measured to the end, and how sure that choice is. Claims rest on the blocks after it."""

    metric: str = Field(description="by which arms were chosen: the first primary one")
    title: str
    unit: str
    scale: Scale
    of: int = Field(description="arms beside the baseline, at the beginning")
    wanted: int = Field(description="how many of them were to be left")
    blocks: int = Field(description="of each heat")
    planned: int = Field(description="heats")
    heats: list[Heat] = Field(description="those that are over")
    finalists: list[str] = Field(description="the arms that are left, beside the baseline")
    dropped_percent: float | None = Field(
        default=None,
        description="probability that an arm was dropped which is better than all others by the margin, if these are "
        "equal; None before the last heat",
    )
    sure_from: float | None = Field(
        default=None,
        description="an arm that is better than all others by so much stays with 95 %: a ratio of the better value to "
        "the others, or a difference",
    )
    error: Sentence | None = Field(default=None, description="both of these in words")
    best: str | None = Field(default=None, description="the arm that is better than every other that was left")
    text: Sentence = Field(description="how many were left, and whether one of them is the best")
