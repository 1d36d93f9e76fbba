"""A whole run: its arms, what they answer, its checks, its noise and its factors' effects."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from ngxlab_contracts.sentences import Sentence
from ngxlab_verdict import Course, Family, Looks, Stage, Word
from ngxlab_verdict.learned import ENOUGH
from pydantic import Field

from ngxlab.analysis.schemas.comparison import ArmMetric, Shift, StreamComparison, Verdict, VerdictSentence
from ngxlab.analysis.schemas.metric import AnalysisModel, MetricGroup, MetricInfo, MetricKey, Scale
from ngxlab.analysis.schemas.selection import RunSelection
from ngxlab.analysis.schemas.trial import Bottleneck, ChosenWindow, DistributionPoint, LatencySummary, NginxBuild

CheckSeverity = Literal["pass", "info", "warning", "error", "unavailable"]


class CheckResult(AnalysisModel):
    """The result of one validity check of a trial or a run. docs/checks.md describes each check."""

    number: int = Field(description="its number in docs/checks.md; 0 for a check without a number")
    key: str = Field(description="stable identifier, e.g. generator-saturated")
    severity: CheckSeverity = Field(description="unavailable: the data are missing, so it is not a pass")
    title: str = Field(description="what the result means, e.g. The generator was saturated")
    message: Sentence = Field(description="what was measured")
    remedy: str | None = Field(description="what to do about it; None for a pass and where the check is unavailable")
    trial_ids: list[UUID] = Field(description="trials that were checked")
    voids: list[MetricGroup] = Field(
        default_factory=list, description="groups of metrics whose claims an error voids; empty: all of them"
    )


class RolledCheck(AnalysisModel):
    """A check over all trials: the worst severity, where ``unavailable`` ranks between info and warning."""

    number: int
    key: str
    severity: CheckSeverity
    title: str
    message: Sentence = Field(description="of the worst result, with the number of trials that have it")
    remedy: str | None
    trial_ids: list[UUID] = Field(description="trials with that severity; empty for a pass")
    voids: list[MetricGroup] = Field(default_factory=list, description="as in each result")
    trials_made: int = Field(description="trials for which the check could be made")


class CheckSummary(AnalysisModel):
    """All checks of a run. ``text``: e.g. "11 of 12 checks passed; warning: shared cores"."""

    passed: int
    made: int = Field(description="all but info and unavailable")
    warnings: int
    errors: int
    unavailable: int
    text: Sentence
    results: list[RolledCheck]


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


class LearnedScatter(AnalysisModel):
    """The scatter of one metric that earlier runs of the same load on the same hosts lead to expect.

    It is on the scale of :attr:`MetricNoise.deviation`. Runs that know little of their own scatter use it.
    """

    metric: Annotated[str, Field(max_length=120)]
    deviation: Annotated[float, Field(gt=0, allow_inf_nan=False)] = Field(
        description="of one value within its block; of ln(value) on the ratio scale"
    )
    degrees: Annotated[float, Field(gt=0, le=ENOUGH)] = Field(description="degrees of freedom that it counts for")
    runs: Annotated[int, Field(ge=1)] = Field(description="how many runs have shown it")


class CalibrationUse(AnalysisModel):
    """The A/A calibration that was in force when the run was created."""

    run_id: UUID | None = Field(description="None where the run was deleted")
    taken_at: datetime
    hosts: list[str]
    noise: list[MetricNoise]


class ArmInfo(AnalysisModel):
    """Input: an arm of the run. ``levels`` maps factor to level."""

    key: str
    label: str
    levels: dict[str, str] = Field(default_factory=dict)


class WorkerShare(AnalysisModel):
    """Workers ranked by CPU within each trial, then averaged over the trials by rank.

    Worker numbers cannot be compared: nginx starts anew in each trial. ``rank`` 1 is the busiest.
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


class CurveFigure(AnalysisModel):
    """Something at one rate, over trials. ``low`` and ``high``: its 95 % interval by blocks; ``None`` with a single
    trial."""

    mean: float = Field(description="the geometric one, but of shares of errors")
    low: float | None
    high: float | None


class CurvePoint(AnalysisModel):
    """One rate of an arm's curve, or one number of connections. Latencies are shown where throughput followed the rate
    in all trials: of those in which the load generator was in time, or of all if it was in none."""

    per_s: float = Field(description="requests due a second; with connections, the mean of what they sent")
    connections: int | None = Field(default=None, description="how many were in use; None where the rate was set")
    trials: int = Field(description="trials that count: not those in which the generator was late and nginx behind")
    late: int = Field(description="trials in which the load generator's own delays may be in the latency")
    followed: int = Field(description="trials in which throughput followed the rate")
    throughput: CurveFigure | None = Field(
        description="requests served a second; None where no trial counts, or none were served"
    )
    errors_percent: CurveFigure | None = Field(description="requests that were not served, in percent")
    p50_us: CurveFigure | None
    p90_us: CurveFigure | None
    p99_us: CurveFigure | None
    p999_us: CurveFigure | None


class Scalability(AnalysisModel):
    """The universal scalability law of an arm: with n connections, throughput is n times ``per_connection``, divided
    by 1 + ``contention`` (n - 1) + ``coherency`` n (n - 1) (N. J. Gunther, 1993). Each trial is fitted by itself;
    intervals are over blocks."""

    per_connection: CurveFigure = Field(description="requests a second of one connection alone")
    contention: CurveFigure = Field(description="the share of the work that only one connection does at a time")
    coherency: CurveFigure = Field(description="what each pair of connections costs")
    peak: CurveFigure | None = Field(description="the number of connections beyond which throughput falls")
    without_peak: Sentence | None = Field(description="why no peak is named; None where one is")
    misfit_percent: float = Field(description="how far the mean at some number of connections is off the law, at most")


class ArmCurve(AnalysisModel):
    """Throughput and latency of an arm at each of several rates, or numbers of connections; the bands are pointwise."""

    points: list[CurvePoint] = Field(description="from the lowest rate, or the fewest connections, up")
    knee: CurveFigure | None = Field(
        description="the rate up to which throughput followed: the plateau, over blocks. Of connections: how many "
        "would make the plateau, were all as fast as the fewest"
    )
    without_knee: Sentence | None = Field(description="why no knee is shown; None where one is")
    scalability: Scalability | None = Field(
        default=None, description="the universal scalability law, where connections were counted and it fits"
    )
    without_scalability: Sentence | None = Field(
        default=None, description="why the law is not shown; None where it is, or where rates were set"
    )


class ArmAnalysis(AnalysisModel):
    key: str
    label: str
    levels: dict[str, str]
    is_baseline: bool
    trials: int = Field(description="trials with any record")
    usable_trials: int
    metrics: list[ArmMetric] = Field(description="in the order of RunAnalysis.metrics")
    latency: LatencySummary | None = Field(description="of the pooled histogram of all usable trials, for drawing")
    distribution: list[DistributionPoint] = Field(description="pooled, at most 200 points; empty without histograms")
    shift: Shift | None = Field(
        default=None,
        description="against the baseline, at percentiles of latency; None of the baseline itself, and where "
        "no block has histograms of both",
    )
    curve: ArmCurve | None = Field(default=None, description="of a stream that tries several rates; None without one")
    balance: ArmBalance | None
    bottleneck: Bottleneck | None = Field(default=None, description="what limited the arm; None without usable trials")
    nginx_build: NginxBuild | None = Field(default=None, description="that it ran; None without usable trials")
    streams: list[StreamComparison] = Field(default_factory=list, description="by stream, if trials have more than one")


class FactorEffect(AnalysisModel):
    """The effect of a level against the factor's reference level, averaged over the levels of the other factors.

    From ordinary least squares on ln(value) ~ block + factors + two-way interactions (docs/method.md, Factorial
    analysis).
    """

    metric: MetricKey
    factor: str
    level: str
    reference: str = Field(description="the baseline arm's level")
    ratio: float = Field(description="1 is no effect")
    ci_low: float = Field(description="of the interval that holds for all effects and interactions of its family")
    ci_high: float
    family: Family = Field(description="primary: of a primary metric; all primary effects are one family")
    verdict: Word = Field(description="by the margin and the words of all claims")
    text: Sentence = Field(description="e.g. threads=32 against threads=8: +12 % (95 % CI +8 % to +16 %), better")


class FactorInteraction(AnalysisModel):
    """How much the effect of one factor's level changes with a level of another factor: a ratio of two ratios."""

    metric: MetricKey
    factors: tuple[str, str]
    levels: tuple[str, str]
    references: tuple[str, str]
    ratio: float = Field(description="1: the joint effect is the product of the two separate effects")
    ci_low: float
    ci_high: float
    family: Family
    verdict: Word = Field(description="never better or worse: an interaction has no good direction")
    text: Sentence


Sign = Literal["yes", "no", "equal", "mixed", "open", "not_valid"]
"""``equal``: within the margin in the arms that are decided. ``mixed``: some arms are better, some worse. ``open``:
nothing is decided."""


class ArmAnswer(AnalysisModel):
    arm: str
    verdict: Verdict | None = Field(description="None where no comparison was possible")
    text: Sentence = Field(description="the change ready to print: +12 %, 1.73 → 0.06; or why there is none")


class Answer(AnalysisModel):
    """One question, answered for all arms beside the baseline."""

    metric: MetricKey
    stream: str | None = None
    question: Sentence = Field(description="in a few words: More requests/s?")
    sign: Sign
    word: Sentence = Field(
        description="the answer: Yes; No, fewer; Not decided; Yes with reuseport; Yes with 3 of 5 arms"
    )
    text: Sentence = Field(description="figures behind it, the arms named in backticks if there are several")
    arms: list[ArmAnswer]


VerdictState = Literal["decided", "undecided", "not_valid"]
"""A whole run: a check voids its claims; or some claim on a primary metric is decided; or none is."""


StopCode = Literal["decided", "hopeless", "precise"]
"""Why a stop rule has ended a run: all questions are decided; no open one is likely to be; the interval is narrow."""


class PlanFacts(AnalysisModel):
    """Input: the facts of the plan that the analysis needs.

    ``looks``: when claims may be read, if not at the planned end only. ``spent``: the error that is left for other
    looks than that. ``earlier``: looks at the first blocks, by number, whose claims stand. ``course``: all looks that
    there are, and may be. ``open_blocks``: those that the verdict leaves out, as they are not complete or their look is
    yet to come. ``stopped``: why a stop rule has ended the run before the most blocks of its plan. ``ended_early_of``:
    the blocks that a run which was ended early could have had.
    """

    blocks: int = Field(description="blocks planned")
    measure_s: float
    warmup_s: float
    cooldown_s: float = 0.0
    trials_planned: int
    looks: Looks | None = None
    spent: float = 0.0
    earlier: tuple[Stage, ...] = ()
    course: Course | None = None
    open_blocks: tuple[int, ...] = ()
    stopped: StopCode | None = None
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
    more_blocks: int | None = Field(
        default=None,
        description="about how many more blocks the open primary questions take: of each the smaller of its two "
        "numbers, and of these the greatest below 1000; None where nothing is open, or no number is known",
    )
    blocks_planned: int
    blocks_complete: int = Field(description="blocks in which every arm has a usable trial")
    margin: float = Field(description="margin of ratios, e.g. 0.02 for 2 %")
    noise: dict[str, float] = Field(
        default_factory=dict,
        description="half widths of identical arms, by metric: from the calibration and from the run's own such arms; "
        "no claim depends on them",
    )
    margin_note: Sentence = Field(
        default=Sentence(""), description="the margin, and how far identical arms lay apart, in sentences"
    )
    learned: list[LearnedScatter] = Field(
        default_factory=list, description="of earlier runs, where the blocks of this one hardly show its scatter"
    )
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
    selection: RunSelection | None = Field(
        default=None, description="how the arms were chosen, of a run that began with many; all else is of those left"
    )
    metrics: list[MetricInfo] = Field(description="group by group; without those that no usable trial has")
    arms: list[ArmAnalysis]
    factor_effects: list[FactorEffect] = Field(default_factory=list, description="with two factors or more")
    factor_interactions: list[FactorInteraction] = Field(default_factory=list)
    factor_effects_reason: Sentence | None = Field(
        default=None, description="why effects are missing, of all metrics or of some"
    )
    checks: CheckSummary
