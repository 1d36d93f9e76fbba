"""A whole run."""

from pydantic import Field

from ngxlab.analysis.schemas.arm import ArmAnalysis
from ngxlab.analysis.schemas.check import CheckSummary
from ngxlab.analysis.schemas.comparison import VerdictSentence
from ngxlab.analysis.schemas.factorial import FactorEffect, FactorInteraction
from ngxlab.analysis.schemas.metric import MetricInfo
from ngxlab.analysis.schemas.model import AnalysisModel


class PlanFacts(AnalysisModel):
    """Input: what the analysis must know of the plan."""

    blocks: int = Field(description="blocks planned")
    measure_s: float
    warmup_s: float
    trials_planned: int


class RunAnalysis(AnalysisModel):
    baseline: str
    headline: str = Field(description="the verdict as one paragraph, ending with the validity clause")
    statements: list[VerdictSentence] = Field(
        description="the headline's sentences about arms: what is claimed first, then what is open"
    )
    qualification: str = Field(description="the rest of the headline: how far it goes, how valid it is")
    sentences: list[VerdictSentence] = Field(description="the statements of the headline, arm by arm")
    stream_sentences: list[VerdictSentence] = Field(
        default_factory=list, description="as sentences, stream by stream, where trials have more than one"
    )
    preview: bool = Field(description="three or fewer complete blocks: enough to look, not to conclude firmly")
    trustworthy: bool = Field(description="no check ended in error")
    partial: bool = Field(description="fewer usable trials than planned")
    blocks_planned: int
    blocks_complete: int = Field(description="blocks in which every arm has a usable trial")
    margin: float = Field(description="noise margin of ratios, e.g. 0.02 for 2 %")
    metrics: list[MetricInfo] = Field(description="group by group; those that no usable trial has are left out")
    arms: list[ArmAnalysis]
    factor_effects: list[FactorEffect] = Field(default_factory=list, description="with two factors or more")
    factor_interactions: list[FactorInteraction] = Field(default_factory=list)
    factor_effects_reason: str | None = Field(
        default=None, description="why effects are missing, of all metrics or of some"
    )
    checks: CheckSummary
