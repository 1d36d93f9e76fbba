"""An arm against the baseline."""

from typing import Literal
from uuid import UUID

from ngxlab_contracts.sentences import Sentence
from pydantic import Field

from ngxlab.analysis.schemas.metric import AnalysisModel, MetricKey, Scale

Verdict = Literal["better", "worse", "higher", "lower", "equivalent", "undecided", "not_valid"]
"""``higher``, ``lower``: of a neutral or an exploratory metric. ``not_valid``: a check voids it (docs/method.md)."""
Family = Literal["primary", "exploratory"]


class BlockValue(AnalysisModel):
    block: int
    trial_id: UUID
    value: float


class ApartTrials(AnalysisModel):
    """The numbers of trials in a comparison between runs, which is not paired."""

    own: int
    baseline: int


class RobustEstimate(AnalysisModel):
    """The same comparison by the signed-rank test, without assuming normal scatter. It decides nothing."""

    estimate: float = Field(description="that of Hodges and Lehmann, on the comparison's scale")
    ci_low: float
    ci_high: float
    interval: Sentence = Field(description="what kind of interval it is: few pairs cannot have the claim's level")
    verdict: Verdict = Field(description="what it alone would say")
    agrees: bool = Field(description="whether that is the claim's word")
    text: str = Field(description="the estimate ready to print")
    ci_text: Sentence = Field(description="the interval ready to print")


class Comparison(AnalysisModel):
    """An arm against the baseline in one metric, paired by block within a run.

    With ``scale == "ratio"``: ``estimate`` = exp(mean of ln(arm/baseline)), 1 is no change. With ``"difference"``:
    mean of arm - baseline, 0 is no change. ``ci_low``/``ci_high``: the interval on the same scale. That of a primary
    metric is adjusted for all claims of the family; that of an exploratory metric is Student's. ``None`` where there
    is none, for which ``reason`` is given; then the verdict is undecided.
    """

    family: Family

    scale: Scale
    estimate: float
    ci_low: float | None
    ci_high: float | None
    pairs: int
    trials: ApartTrials | None = Field(
        default=None, description="how many each side has, if they are of different runs; then nothing is paired"
    )
    margin: float = Field(description="0.02 is 2 % for a ratio, or absolute for a difference")
    verdict: Verdict
    at_least: bool = Field(default=False, description="the whole interval lies beyond the margin")
    reason: Sentence | None = Field(default=None, description="why there is no interval, or why it is not valid")
    more_blocks: int | None = Field(
        description="about how many more blocks decide it if the effect is what it looks like, at most 1000; only of a "
        "primary metric that is undecided, and not of an estimate within the margin"
    )
    blocks_for_none: int | None = Field(
        default=None,
        description="about how many more blocks show that there is no change, at most 1000; as more_blocks",
    )
    robust: RobustEstimate | None = Field(
        default=None, description="of a primary claim with five pairs or more: the same without assuming normal scatter"
    )
    chance: float | None = Field(
        default=None,
        description="of a claim that is still open, in a run whose stop rule may add blocks: the chance, from 0 to 1, "
        "to be decided within the most blocks of the plan",
    )
    interval: Sentence = Field(default=Sentence("95 % CI"), description="what kind of interval it is, ready to print")
    text: str = Field(description="the estimate ready to print: 9.1x, +12 %, −0.12")
    ci_text: Sentence | None = Field(description="the interval ready to print: 6.6x to 8.3x, −1 % to +6 %")


class ArmMetric(AnalysisModel):
    metric: MetricKey
    values: list[BlockValue] = Field(description="usable trials, by block")
    mean: float | None
    mean_kind: Literal["geometric", "arithmetic"] = Field(description="geometric for ratios where all values > 0")
    missing_reason: Sentence | None = Field(
        default=None, description="why trials have no value, e.g. too few responses for a percentile"
    )
    comparison: Comparison | None = Field(
        description="None for the baseline itself, and where no comparison is possible"
    )
    no_comparison_reason: Sentence | None = Field(description="why there is no comparison; None for the baseline")


class StreamComparison(AnalysisModel):
    """One stream of an arm against the same stream of the baseline, paired by block."""

    stream: str
    metrics: list[ArmMetric] = Field(description="requests_per_s (over the stream's active time), p50 and p99")


class VerdictSentence(AnalysisModel):
    """One statement. ``verdict`` is ``None`` where no comparison was possible; then the text says why."""

    arm: str
    stream: str | None = Field(default=None, description="the stream it is about; None for all streams together")
    metric: MetricKey
    family: Family = "exploratory"
    verdict: Verdict | None
    text: Sentence
    beside: list[Sentence] = Field(
        default_factory=list,
        description="what stands beside a primary claim and decides nothing: that the same holds without assuming "
        "normal scatter",
    )
    cautions: list[Sentence] = Field(
        default_factory=list,
        description="that it does not hold without that assumption, and a trial that stands apart; they decide nothing",
    )


class ShiftPoint(AnalysisModel):
    """An arm against the baseline at one percentile of latency."""

    fraction: float
    own_us: float = Field(description="the percentile of the arm, the geometric mean over the pairs")
    baseline_us: float = Field(description="as own_us, of the baseline")
    ratio: float = Field(description="of the two, paired by block; 1 is no change")
    low: float | None = Field(description="the band, which holds at all points together; None below three pairs")
    high: float | None
    text: str = Field(description="the ratio ready to print: 9.1x, +12 %")
    band_text: Sentence | None = Field(description="the band ready to print")


class Shift(AnalysisModel):
    """The shift function of an arm: by how much its latency differs at each percentile. It makes no claim."""

    pairs: int
    band: Sentence = Field(description="what kind of band it is, ready to print")
    missing: Sentence | None = Field(
        default=None, description="which percentiles, or that the band, are not shown, and why"
    )
    points: list[ShiftPoint] = Field(description="by percentile, ascending")
