"""Results of the analysis of one trial. Every field is computed from stored raw data.

Units are in the names: ``_us`` microseconds, ``_s`` seconds, ``_percent`` 0 to 100 (or of one core, where said).
``None`` always means "not known", never zero. Fields that came later have a default, so that what was stored of
earlier trials still reads.
"""

from typing import Literal
from uuid import UUID

from ngxlab_contracts.hosts import HostRole
from ngxlab_contracts.streams import EngineName
from ngxlab_contracts.telemetry import EngineTotals, WrkPrint
from pydantic import BaseModel, ConfigDict, Field

LatencyBasis = Literal["closed-loop", "intended"]
CheckSeverity = Literal["pass", "info", "warning", "error", "unavailable"]


class AnalysisModel(BaseModel):
    """Immutable and closed, so that a misspelt field fails where it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class LatencySummary(AnalysisModel):
    """Of the merged raw histogram of the measured window (never of averaged percentiles). Microseconds.

    Where it begins says the stream's ``latency_basis``. Values are exact to the histogram's resolution (three
    significant digits).
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
    """The generator's own counts over its whole life, warm-up included (wrk does not split them)."""

    connect: int
    read: int
    write: int
    timeout: int
    status: int = Field(description="responses other than 2xx and 3xx")
    garbage: int = Field(default=0, description="answers that are no HTTP; only our own engines tell")
    share_percent: float | None = Field(
        description="all of them, of all answered requests; 100 where none was answered"
    )


class Accounting(AnalysisModel):
    """Three independent counts of the same requests: of one stream over its whole life, or of a trial, where they
    are sums over all streams of all hosts, ``None`` as soon as one stream's count is not known (check 23).
    """

    live_requests: int | None = Field(description="in the histograms that were read while the generator ran")
    printed_requests: int | None = Field(description="by the generator's last word: wrk's print, or an engine's totals")
    stub_requests: int | None = Field(description="counted by nginx, less the polls of the agent")
    max_disagreement_percent: float | None = Field(
        description="greatest difference between two counts, of the greatest count; None with fewer than two"
    )


class StreamSummary(AnalysisModel):
    """One stream's part in the measured window. A stream may begin after the window's start or end before its end."""

    stream: str
    host_id: UUID | None = Field(default=None, description="where it ran")
    connections: int | None = Field(default=None, description="by the plan")
    threads: int | None = Field(default=None, description="by the plan")
    engine: EngineName = Field(default="wrk", description="what made the load")
    probe: bool = Field(default=False, description="a bystander: the trial's totals are without it")
    latency_basis: LatencyBasis = Field(
        default="closed-loop",
        description="closed-loop: service time, from the first write of a request that waited for an earlier answer; "
        "intended: from the instant the schedule meant, whether or not a connection was free",
    )
    active_s: float | None = Field(
        default=None, description="how long it was to run within the window; 0 if it ran before or after it only"
    )
    requests: int | None = Field(description="responses in the window")
    requests_per_s: float | None = Field(description="over its own active time within the window")
    latency: LatencySummary | None
    service: LatencySummary | None = Field(
        default=None, description="open loop: from the first write, as a closed loop would see it"
    )
    schedule: LatencySummary | None = Field(
        default=None, description="open loop: how late the generator itself was, a connection being free"
    )
    intended: int | None = Field(default=None, description="open loop: requests that were due within the window")
    sent: int | None = Field(default=None, description="open loop: requests sent within the window")
    backlog_max: int | None = Field(
        default=None, description="open loop: most requests seen waiting for a connection within the window"
    )
    cpu_s: float | None = Field(default=None, description="CPU seconds of its generator over the window: its cost")
    errors: ErrorSummary | None
    accounting: Accounting | None
    printed: WrkPrint | None = Field(description="as printed by wrk: whole life, after wrk's own correction")
    totals: EngineTotals | None = Field(default=None, description="as an engine of our own counted, whole life")


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
    """How complete the sampling of one host within the window is, over all collectors."""

    expected: int = Field(description="readings that the interval promises")
    missing: int
    missing_percent: float
    longest_gap_s: float


class HostSummary(AnalysisModel):
    """One host's part in a trial. Its window is the same as the other hosts', on its own clock."""

    host_id: UUID
    name: str = Field(description="unlike the other hosts' of the trial: registered name, else hostname")
    hostname: str | None
    roles: list[HostRole] = Field(description="what it did in this trial; the target is the one with nginx under test")
    clock_offset_us: int = Field(description="backend's clock minus host's clock")
    cpu_percent_by_mode: dict[str, float] = Field(description="of all its CPUs; sums to about 100")
    cores_by_role: dict[str, float] = Field(
        description="CPU seconds per second of the trial's own processes: nginx, generator, backend, agent; if known"
    )
    network: list[NetworkRate] = Field(description="devices with traffic only")
    agent_cpu_percent: float | None = Field(description="of one core")
    sampling: SamplingSummary | None


class TrialNote(AnalysisModel):
    """A note of the agent, e.g. ``wrk-memory-unreadable``. ``t_s`` as for derived series."""

    host: str | None = Field(default=None, description="name of the host it came from, where there are several")

    severity: Literal["info", "warning", "error"]
    code: str
    message: str
    t_s: float | None


class ActionsSummary(AnalysisModel):
    """What one perturbation did in a trial. Durations are of the actions that were done, failed ones too."""

    perturbation: str
    action: str = Field(description="kind of the action, e.g. reload")
    host: str = Field(description="name of the host that did it")
    count: int = Field(description="actions that were due, skipped ones included")
    failed: int = Field(description="done without success")
    skipped: int = Field(description="not done, because the one before had not ended")
    mean_s: float | None = Field(description="mean duration; None where none ended")
    max_s: float | None = Field(description="longest duration; None where none ended")


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
    requests: int | None = Field(description="responses in the window, all streams of all hosts but probes")
    requests_per_s: float | None = Field(description="all responses over the whole window")
    rate_source: Literal["histogram", "stub_status", "none"] = Field(
        description="histogram: exact counts from the generator; stub_status: nginx's counter less polls"
    )
    latency: LatencySummary | None = Field(
        description="all streams but probes merged; None where wrk's memory was unreadable"
    )
    latency_histogram: str | None = Field(description="the merged histogram, base64 HdrHistogram V2, microseconds")
    streams: list[StreamSummary] = Field(description="of all hosts, host by host in the order of their plans")
    connections_planned: int | None = Field(
        default=None, description="most connections that the streams hold at once within the window, by the plan"
    )
    accounting: Accounting | None = Field(default=None, description="of all streams together (check 23)")
    start_spread_us: int | None = Field(
        default=None,
        description="greatest difference between the instants at which hosts began their streams, by corrected clocks; "
        "0 where one host runs them all",
    )

    nginx: NginxCounts | None
    nginx_cpu_s_per_1000_requests: float | None = Field(description="all workers and the master, user + system")
    generator_cpu_s_per_1000_requests: float | None = Field(description="all generators of all hosts")
    backend_cpu_s_per_1000_requests: float | None = Field(default=None, description="all backends of all hosts")
    cpu_percent_by_mode: dict[str, float] = Field(description="of all CPUs of the target; sums to about 100")
    workers: list[WorkerSummary]
    balance: Balance | None
    network: list[NetworkRate] = Field(description="of the target; devices with traffic only")
    agent_cpu_percent: float | None = Field(description="of one core of the target")
    sampling: SamplingSummary | None = Field(description="of the target")
    hosts: list[HostSummary] = Field(default_factory=list, description="every host of the trial, the target first")
    notes: list[TrialNote]
    actions: list[ActionsSummary] = Field(
        default_factory=list, description="what was done on the trial's time line, a summary for each perturbation"
    )

    environment: dict[str, str] = Field(
        description="fingerprint of the hosts: kernel, nginx, wrk and settings; compared between arms (check 15)"
    )
    access_log: list[str] = Field(description="access_log directives of the configuration, in order (check 17)")
    figures: dict[str, float] = Field(
        default_factory=dict,
        description="more figures of the window, by the key of the metric that compares them; absent if not known",
    )


class CheckResult(AnalysisModel):
    """An automatic validity rule applied to a trial or to a run (DOMAIN 5)."""

    number: int = Field(description="as in DOMAIN 5; 0 for rules of our own")
    key: str = Field(description="stable identifier, e.g. generator-saturated")
    severity: CheckSeverity = Field(description="unavailable: could not be made, with the reason; it is not a pass")
    title: str = Field(description="what the rule asks for, e.g. The generator had CPU to spare")
    message: str = Field(description="what was seen, with figures")
    mend: str | None = Field(description="what to do about it; None for a pass")
    trial_ids: list[UUID] = Field(description="trials concerned")
