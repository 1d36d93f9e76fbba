"""Results of the analysis of a run; those of a trial stand in ``trial_schemas`` and are offered here too.

Units are in the names, and ``None`` always means "not known", never zero.
"""

from typing import Literal
from uuid import UUID

from pydantic import Field

from ngxlab.analysis.trial_schemas import (
    Accounting,
    ActionsSummary,
    AnalysisModel,
    Balance,
    CheckResult,
    CheckSeverity,
    ErrorSummary,
    HostSummary,
    LatencySummary,
    NetworkRate,
    NginxCounts,
    SamplingSummary,
    StreamSummary,
    TrialNote,
    TrialSummary,
    WorkerSummary,
)

__all__ = [
    "Accounting",
    "ActionsSummary",
    "AnalysisModel",
    "ArmAnalysis",
    "ArmBalance",
    "ArmInfo",
    "ArmMetric",
    "Balance",
    "BlockValue",
    "CheckResult",
    "CheckSeverity",
    "CheckSummary",
    "Comparison",
    "Direction",
    "DistributionPoint",
    "ErrorSummary",
    "FactorEffect",
    "FactorInteraction",
    "HostSummary",
    "LatencySummary",
    "MetricGroup",
    "MetricInfo",
    "MetricKey",
    "NetworkRate",
    "NginxCounts",
    "PlanFacts",
    "RolledCheck",
    "RunAnalysis",
    "SamplingSummary",
    "Scale",
    "StreamComparison",
    "StreamSummary",
    "TrialNote",
    "TrialSummary",
    "Verdict",
    "VerdictSentence",
    "WorkerShare",
    "WorkerSummary",
]

Verdict = Literal["better", "worse", "higher", "lower", "equivalent", "inconclusive"]
"""``higher`` and ``lower``: of a metric of which neither is good or bad in itself."""

Direction = Literal["more_is_better", "less_is_better", "neutral"]
Scale = Literal["ratio", "difference"]
MetricGroup = Literal["load", "latency", "nginx", "balance", "disk", "host"]
MetricKey = str
"""Of one of :data:`ngxlab.analysis.comparison_metrics.METRICS`."""


class ArmInfo(AnalysisModel):
    """Input: an arm of the run. ``levels`` maps factor to level."""

    key: str
    label: str
    levels: dict[str, str] = Field(default_factory=dict)


class PlanFacts(AnalysisModel):
    """Input: what the analysis must know of the plan."""

    blocks: int = Field(description="blocks planned")
    measure_s: float
    warmup_s: float
    trials_planned: int


class MetricInfo(AnalysisModel):
    """A column of the table by arm."""

    key: MetricKey
    title: str
    unit: str
    direction: Direction = Field(description="neutral: never to be shown as good or bad, e.g. iowait and load")
    scale: Scale = Field(
        description="ratio: arm / baseline of paired blocks; difference: arm - baseline (of what may be 0)"
    )
    group: MetricGroup = Field(description="what it tells of, to fold a long table")


class BlockValue(AnalysisModel):
    block: int
    trial_id: UUID
    value: float


class Comparison(AnalysisModel):
    """An arm against the baseline in one metric, paired by block.

    With ``scale == "ratio"``: ``estimate`` = exp(mean of ln(arm/baseline)), 1 is no change. With ``"difference"``:
    mean of arm - baseline, 0 is no change. ``ci_low``/``ci_high``: 95 % Student-t interval on the same scale,
    ``None`` with a single pair. No verdict other than inconclusive without an interval.
    """

    scale: Scale
    estimate: float
    ci_low: float | None
    ci_high: float | None
    pairs: int
    margin: float = Field(description="0.02 is 2 % for a ratio, or absolute for a difference")
    verdict: Verdict
    more_blocks: int | None = Field(
        description="about how many more blocks resolve the margin, 1000 for that or more; only when inconclusive"
    )
    text: str = Field(description="the estimate ready to print: 9.1x, +12 %, -0.12")
    ci_text: str | None = Field(description="the interval ready to print: 6.6x to 8.3x, -1 % to +6 %")


class ArmMetric(AnalysisModel):
    metric: MetricKey
    values: list[BlockValue] = Field(description="usable trials, by block")
    mean: float | None
    mean_kind: Literal["geometric", "arithmetic"] = Field(description="geometric for ratios where all values > 0")
    comparison: Comparison | None = Field(description="None for the baseline itself and where not possible")
    no_comparison_reason: str | None = Field(description="why there is no comparison; None for the baseline")


class DistributionPoint(AnalysisModel):
    """``fraction`` (0 to 1) of all responses of the arm took ``value_ms`` or less."""

    value_ms: float
    fraction: float


class WorkerShare(AnalysisModel):
    """Workers ranked by CPU within each trial, then averaged over the trials, as worker numbers mean nothing
    across fresh starts. ``rank`` 1 is the busiest.
    """

    rank: int
    cpu_share_percent: float | None
    connections_share_percent: float | None


class ArmBalance(AnalysisModel):
    """Arithmetic means over the arm's usable trials; the definitions are those of :class:`Balance`."""

    cpu_cv: float | None
    cpu_max_over_mean: float | None
    connections_cv: float | None
    connections_max_over_mean: float | None
    workers: list[WorkerShare]


class StreamComparison(AnalysisModel):
    """One stream of an arm against the same stream of the baseline, paired by block as the whole is."""

    stream: str
    metrics: list[ArmMetric] = Field(description="requests_per_s (over the stream's active time), p50 and p99")


class ArmAnalysis(AnalysisModel):
    key: str
    label: str
    levels: dict[str, str]
    is_baseline: bool
    trials: int = Field(description="trials with any record")
    usable_trials: int
    metrics: list[ArmMetric] = Field(description="in the order of RunAnalysis.metrics")
    latency: LatencySummary | None = Field(description="of the pooled histogram of all usable trials, for drawing")
    distribution: list[DistributionPoint] = Field(description="pooled, at most 400 points; empty without histograms")
    balance: ArmBalance | None
    streams: list[StreamComparison] = Field(
        default_factory=list, description="by stream, where trials have more than one"
    )


class FactorEffect(AnalysisModel):
    """What a level does against the factor's reference level, averaged over the levels of the other factors.

    From ordinary least squares on ln(value) ~ block + factors + two-way interactions (DOMAIN 4.8).
    """

    metric: MetricKey
    factor: str
    level: str
    reference: str = Field(description="the baseline arm's level")
    ratio: float = Field(description="1 is no effect")
    ci_low: float = Field(description="95 % interval of this effect alone")
    ci_high: float
    p_holm: float = Field(description="Holm-adjusted over all effects and interactions of the metric")
    significant: bool = Field(description="p_holm < 0.05")
    text: str = Field(description="e.g. threads=32 against threads=8: +12 % (95 % CI +8 % to +16 %)")


class FactorInteraction(AnalysisModel):
    """By how much the effect of one factor's level differs with a level of another: a ratio of two ratios."""

    metric: MetricKey
    factors: tuple[str, str]
    levels: tuple[str, str]
    references: tuple[str, str]
    ratio: float = Field(description="1: the two effects multiply and nothing else")
    ci_low: float
    ci_high: float
    p_holm: float
    significant: bool
    text: str


class RolledCheck(AnalysisModel):
    """A rule over all trials: the worst severity, where ``unavailable`` ranks between info and warning."""

    number: int
    key: str
    severity: CheckSeverity
    title: str
    message: str = Field(description="of the worst result, with the number of trials concerned")
    mend: str | None
    trial_ids: list[UUID] = Field(description="trials with that severity; empty for a pass")
    trials_made: int = Field(description="trials in which the rule could be applied")


class CheckSummary(AnalysisModel):
    """``text``: e.g. "11 of 12 checks passed; warning: generator shares cores"."""

    passed: int = Field(description="pass or info")
    made: int = Field(description="all but unavailable")
    warnings: int
    errors: int
    unavailable: int
    text: str
    results: list[RolledCheck]


class VerdictSentence(AnalysisModel):
    """One statement. ``verdict`` is ``None`` where no comparison was possible and the text says why."""

    arm: str
    stream: str | None = Field(default=None, description="the stream it is about; None for all together")
    metric: MetricKey
    verdict: Verdict | None
    text: str


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
