"""A whole run."""

from typing import Literal

from ngxlab_contracts.sentences import Sentence
from ngxlab_verdict import Looks
from pydantic import Field

from ngxlab.analysis.schemas.answer import Answer
from ngxlab.analysis.schemas.arm import ArmAnalysis
from ngxlab.analysis.schemas.check import CheckSummary
from ngxlab.analysis.schemas.comparison import VerdictSentence
from ngxlab.analysis.schemas.factorial import FactorEffect, FactorInteraction
from ngxlab.analysis.schemas.metric import MetricInfo
from ngxlab.analysis.schemas.model import AnalysisModel
from ngxlab.analysis.schemas.noise import CalibrationUse, MetricNoise
from ngxlab.analysis.schemas.trial import ChosenWindow

VerdictState = Literal["decided", "undecided", "not_valid"]
"""Of a whole run: a check voids claims; or some claim on a primary metric is decided; or none is."""


class PlanFacts(AnalysisModel):
    """Input: the facts of the plan that the analysis needs.

    ``looks``: when claims may be read, if not at the planned end only; then blocks in ``open_blocks``, which are not
    complete, are left out of them. ``spent``: the error that looks have used before a planned end. ``ended_early_of``:
    the blocks that a run which was ended early could have had.
    """

    blocks: int = Field(description="blocks planned")
    measure_s: float
    warmup_s: float
    cooldown_s: float = 0.0
    trials_planned: int
    looks: Looks | None = None
    spent: float = 0.0
    open_blocks: tuple[int, ...] = ()
    ended_early_of: int | None = None


class SuggestedWindow(AnalysisModel):
    """A window that leaves out what belongs to the warm-up. Nothing rests on it unless somebody chooses it."""

    window: ChosenWindow
    trials: int = Field(description="usable trials that begin with a transient")
    of_trials: int
    text: Sentence


class RunAnalysis(AnalysisModel):
    baseline: str
    headline: Sentence = Field(description="not_valid, statements and qualification as one paragraph")
    not_valid: Sentence | None = Field(
        default=None, description="the headline's first sentence where a check voids claims: which check, and what"
    )
    answers: list[Answer] = Field(default_factory=list, description="one for each primary metric, in their order")
    statements: list[VerdictSentence] = Field(
        description="one sentence for each primary metric and arm, in the metrics' order; claims first"
    )
    qualification: Sentence = Field(
        description="the end of the headline: preview or partial run, and the validity clause"
    )
    chosen_window: Sentence | None = Field(
        default=None, description="how windows were chosen after the run, in words; None where all are as planned"
    )
    suggested_window: SuggestedWindow | None = None
    sentences: list[VerdictSentence] = Field(description="one statement for each arm and metric, arm by arm")
    stream_sentences: list[VerdictSentence] = Field(
        default_factory=list, description="as sentences, stream by stream, if trials have more than one"
    )
    preview: bool = Field(description="three or fewer complete blocks: a first look, not a firm conclusion")
    trustworthy: bool = Field(description="no check is an error")
    verdict: VerdictState = Field(description="not_valid unless trustworthy; decided if a primary claim is")
    partial: bool = Field(description="fewer usable trials than planned")
    procedure: Literal["planned_end", "any_look"] = Field(
        default="planned_end",
        description="planned_end: judged once, after all planned blocks. any_look: intervals hold at every look, since "
        "the run goes on, was ended early, or has a stop rule",
    )
    blocks_planned: int
    blocks_complete: int = Field(description="blocks in which every arm has a usable trial")
    margin: float = Field(description="margin of ratios, e.g. 0.02 for 2 %, where ``noise`` has no wider one")
    noise: dict[str, float] = Field(
        default_factory=dict,
        description="half widths of identical arms, by metric: from the calibration and from the run's own such arms",
    )
    margin_note: Sentence = Field(default=Sentence(""), description="which margins hold and why, in a sentence")
    calibration: CalibrationUse | None = Field(default=None, description="the A/A calibration that was in force")
    identical: list[MetricNoise] = Field(
        default_factory=list, description="noise between arms of this run whose configuration and load are the same"
    )
    scatter: list[MetricNoise] = Field(
        default_factory=list, description="scatter within the blocks, from all arms together"
    )
    primary: list[str] = Field(
        default_factory=list,
        description="the metrics on which claims are made, in their order; STREAM.KEY for a stream's",
    )
    more_or_longer: list[Sentence] = Field(
        default_factory=list,
        description="whether longer trials or more blocks would decide, a sentence for each undecided primary metric",
    )
    metrics: list[MetricInfo] = Field(description="group by group; without those that no usable trial has")
    arms: list[ArmAnalysis]
    factor_effects: list[FactorEffect] = Field(default_factory=list, description="with two factors or more")
    factor_interactions: list[FactorInteraction] = Field(default_factory=list)
    factor_effects_reason: Sentence | None = Field(
        default=None, description="why effects are missing, of all metrics or of some"
    )
    checks: CheckSummary
