"""Results of the analysis. Every field is computed from stored raw data; nothing here is stored truth.

Units are in the names: ``_us`` microseconds, ``_s`` seconds, ``_percent`` 0 to 100 (or of one core, where said).
``None`` always means "not known", never zero.
"""

from typing import Literal
from uuid import UUID

from ngxlab_contracts.telemetry import WrkPrint
from pydantic import BaseModel, ConfigDict, Field

CheckSeverity = Literal["pass", "info", "warning", "error", "unavailable"]
Verdict = Literal["better", "worse", "equivalent", "inconclusive"]
MetricKey = Literal[
    "requests_per_s",
    "latency_p50_us",
    "latency_p99_us",
    "latency_mean_us",
    "latency_stdev_us",
    "cpu_s_per_1000_requests",
    "worker_cpu_cv",
    "worker_connections_cv",
]


class AnalysisModel(BaseModel):
    """Immutable and closed, so that a misspelt field fails where it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# --- one trial -------------------------------------------------------------------------------------------------


class LatencySummary(AnalysisModel):
    """Of the merged raw histogram of the measured window (never of averaged percentiles). Microseconds.

    wrk is a closed loop: this is service time from the first write of a request to its complete response.
    Values are exact to the histogram's resolution (three significant digits).
    """

    count: int = Field(description="responses in the histogram")
    mean_us: float
    stdev_us: float = Field(description="population standard deviation over the responses")
    p50_us: float
    p90_us: float
    p99_us: float
    p999_us: float | None = Field(description="None below 10,000 responses")
    max_us: float


class ErrorSummary(AnalysisModel):
    """wrk's own error counts over its whole life, warm-up included (wrk does not split them)."""

    connect: int
    read: int
    write: int
    timeout: int
    status: int = Field(description="responses other than 2xx and 3xx")
    share_percent: float | None = Field(description="all of them, of all requests printed; None without requests")


class Accounting(AnalysisModel):
    """Three independent counts of the same requests over a stream's whole life (check 23)."""

    live_requests: int | None = Field(description="read from wrk's memory")
    printed_requests: int | None = Field(description="printed by wrk")
    stub_requests: int | None = Field(description="counted by nginx, less the polls of the agent")
    max_disagreement_percent: float | None = Field(
        description="greatest difference between two counts, of the greatest count; None with fewer than two"
    )


class StreamSummary(AnalysisModel):
    stream: str
    requests: int | None
    requests_per_s: float | None
    latency: LatencySummary | None
    errors: ErrorSummary | None
    accounting: Accounting | None
    printed: WrkPrint | None = Field(description="as printed by wrk: whole life, after wrk's own correction")


class NginxCounts(AnalysisModel):
    """Increases of nginx's own counters between the first and the last poll in the window, less the polls."""

    seconds: float = Field(description="time between these two polls")
    accepts: int
    handled: int
    requests: int


class WorkerSummary(AnalysisModel):
    index: int = Field(description="1 to the number of workers")
    cpu_s: float | None = Field(description="CPU seconds over the window")
    cpu_percent: float | None = Field(description="of one core")
    cpu_share_percent: float | None = Field(description="of the CPU time of all workers; the shares sum to 100")
    connections: float | None = Field(description="median of open descriptors in the window, less before load")


class Balance(AnalysisModel):
    """How evenly the workers share. CV = population standard deviation / mean: 0 is even, sqrt(n - 1) is the
    most uneven n workers can be (1.73 with 4). ``max_over_mean`` is 1 when even, n when one does all.
    """

    workers: int
    cpu_cv: float | None
    cpu_max_over_mean: float | None
    connections_cv: float | None
    connections_max_over_mean: float | None


class NetworkRate(AnalysisModel):
    device: str
    received_bits_per_s: float
    transmitted_bits_per_s: float


class SamplingSummary(AnalysisModel):
    """How complete the sampling within the window is, over all collectors."""

    expected: int = Field(description="readings that the interval promises")
    missing: int
    missing_percent: float
    longest_gap_s: float


class TrialNote(AnalysisModel):
    """A note of the agent, e.g. ``wrk-memory-unreadable``. ``t_s`` as for derived series."""

    severity: Literal["info", "warning", "error"]
    code: str
    message: str
    t_s: float | None


class TrialSummary(AnalysisModel):
    """One trial in figures. Also the input of :func:`analyse_run`, so it may be cached as JSON."""

    trial_id: UUID
    arm: str
    block: int
    position: int
    attempt: int
    state: str
    usable: bool = Field(description="completed, with a whole measured window: only such trials enter a comparison")
    unusable_reason: str | None

    window_s: float | None = Field(description="length of the measured window; None if it never began")
    requests: int | None = Field(description="responses in the window, all streams")
    requests_per_s: float | None
    rate_source: Literal["histogram", "stub_status", "none"] = Field(
        description="histogram: exact counts from the generator; stub_status: nginx's counter less polls"
    )
    latency: LatencySummary | None = Field(description="all streams merged; None where wrk's memory was unreadable")
    latency_histogram: str | None = Field(description="the merged histogram, base64 HdrHistogram V2, microseconds")
    streams: list[StreamSummary]

    nginx: NginxCounts | None
    nginx_cpu_s_per_1000_requests: float | None = Field(description="all workers and the master, user + system")
    generator_cpu_s_per_1000_requests: float | None
    cpu_percent_by_mode: dict[str, float] = Field(description="of all CPUs of the target; sums to about 100")
    workers: list[WorkerSummary]
    balance: Balance | None
    network: list[NetworkRate] = Field(description="devices with traffic only")
    agent_cpu_percent: float | None = Field(description="of one core")
    sampling: SamplingSummary | None
    notes: list[TrialNote]

    environment: dict[str, str] = Field(
        description="fingerprint of the hosts: kernel, nginx, wrk and settings; compared between arms (check 15)"
    )
    access_log: list[str] = Field(description="access_log directives of the configuration, in order (check 17)")


class CheckResult(AnalysisModel):
    """An automatic validity rule applied to a trial or to a run (DOMAIN 5)."""

    number: int = Field(description="as in DOMAIN 5; 0 for rules of our own")
    key: str = Field(description="stable identifier, e.g. generator-saturated")
    severity: CheckSeverity = Field(description="unavailable: could not be made, with the reason; it is not a pass")
    title: str = Field(description="what the rule asks for, e.g. The generator had CPU to spare")
    message: str = Field(description="what was seen, with figures")
    mend: str | None = Field(description="what to do about it; None for a pass")
    trial_ids: list[UUID] = Field(description="trials concerned")


# --- a run -----------------------------------------------------------------------------------------------------


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
    direction: Literal["more_is_better", "less_is_better"]
    scale: Literal["ratio", "difference"] = Field(
        description="ratio: arm / baseline of paired blocks; difference: arm - baseline (CV, which may be 0)"
    )


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

    scale: Literal["ratio", "difference"]
    estimate: float
    ci_low: float | None
    ci_high: float | None
    pairs: int
    margin: float = Field(description="0.02 is 2 % for a ratio, or absolute for a difference")
    verdict: Verdict
    more_blocks: int | None = Field(
        description="about how many more blocks resolve the margin; only when inconclusive and known"
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
    metric: MetricKey
    verdict: Verdict | None
    text: str


class RunAnalysis(AnalysisModel):
    baseline: str
    headline: str = Field(description="the verdict as one paragraph, ending with the validity clause")
    sentences: list[VerdictSentence] = Field(description="the statements of the headline, arm by arm")
    preview: bool = Field(description="three or fewer complete blocks: enough to look, not to conclude firmly")
    trustworthy: bool = Field(description="no check ended in error")
    partial: bool = Field(description="fewer usable trials than planned")
    blocks_planned: int
    blocks_complete: int = Field(description="blocks in which every arm has a usable trial")
    margin: float = Field(description="noise margin of ratios, e.g. 0.02 for 2 %")
    metrics: list[MetricInfo]
    arms: list[ArmAnalysis]
    checks: CheckSummary
