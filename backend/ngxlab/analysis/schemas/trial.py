"""One trial, its hosts and its streams. Every field is computed from stored raw data."""

from typing import Literal
from uuid import UUID

from ngxlab_contracts.engines import DEFAULT_ENGINE, EngineName
from ngxlab_contracts.hosts import HostRole
from ngxlab_contracts.sentences import Sentence
from ngxlab_contracts.streams import CapacityGoal, GoalBound
from ngxlab_contracts.telemetry import EngineTotals, WrkPrint
from pydantic import Field

from ngxlab.analysis.schemas.metric import AnalysisModel


class LatencySummary(AnalysisModel):
    """The merged raw histograms of the measured window, in microseconds. Percentiles are never averaged.

    The stream's ``latency_basis`` says from which instant a latency counts. Values are exact to the histogram's
    resolution, three significant digits.
    """

    count: int = Field(description="responses in the histogram")
    mean_us: float
    stdev_us: float = Field(description="population standard deviation over the responses")
    p50_us: float
    p90_us: float
    p99_us: float | None = Field(description="None below 1,000 responses")
    p999_us: float | None = Field(description="None below 10,000 responses")
    max_us: float


class DistributionPoint(AnalysisModel):
    """``fraction`` (0 to 1) of all responses of the arm took ``value_ms`` or less."""

    value_ms: float
    fraction: float


class NginxBuild(AnalysisModel):
    """The nginx that ran, as the host's inventory and the fingerprint before the trial describe it."""

    path: str
    version: str = Field(description="as nginx -V says it, e.g. nginx/1.22.1")
    sha256: str


class NginxCounts(AnalysisModel):
    """Increases of nginx's own counters between the first and the last poll in the window, without the polls."""

    seconds: float = Field(description="time between these two polls")
    accepts: int
    handled: int
    requests: int


class WorkerSummary(AnalysisModel):
    index: int = Field(description="1 to the number of workers")
    cpu_s: float | None = Field(description="CPU seconds over the window")
    cpu_percent: float | None = Field(description="of one core")
    cpu_share_percent: float | None = Field(description="of the CPU time of all workers; the shares sum to 100")
    connections: float | None = Field(
        description="median of open descriptors in the window, less those before the load"
    )


class Balance(AnalysisModel):
    """How evenly the workers share the work.

    CV, the coefficient of variation, is population standard deviation / mean: 0 if all n workers do the same,
    sqrt(n - 1) if one of them does everything (1.73 with 4). ``max_over_mean`` is 1 and n in these cases.
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
    """How complete the sampling of one host was within the window, over all collectors."""

    expected: int = Field(description="readings due at the sampling interval")
    missing: int
    missing_percent: float
    longest_gap_s: float


class ServerCost(AnalysisModel):
    """What the server's own services on a host used over the measured window."""

    cpu_percent_by_service: dict[str, float] = Field(description="of one core; empty where it is not known")
    is_changed: bool = Field(description="a service began or ended meanwhile, so that it is not known")


class TrialHostSummary(AnalysisModel):
    """One host in a trial. All hosts have the same window, each on its own clock."""

    host_id: UUID
    name: str = Field(description="unique within the trial: the registered name, else the hostname")
    hostname: str | None
    roles: list[HostRole] = Field(description="what it did in this trial; the target is the one with nginx under test")
    clock_offset_us: int = Field(description="backend's clock minus host's clock")
    cpu_percent_by_mode: dict[str, float] = Field(description="of all its CPUs; sums to about 100")
    cores_by_role: dict[str, float] = Field(
        description="CPU seconds per second of the trial's own processes by role, e.g. nginx, generator, agent"
    )
    network: list[NetworkRate] = Field(description="devices with traffic only")
    agent_cpu_percent: float | None = Field(description="of one core")
    sampling: SamplingSummary | None
    server: ServerCost | None = Field(default=None, description="where a server on this host is known to its agent")


LatencyBasis = Literal["closed-loop", "intended"]
ToldApart = Literal["all", "rate", "nothing"]


class ErrorSummary(AnalysisModel):
    """The generator's own counts over its whole life, warm-up included, as wrk reports one total only."""

    connect: int
    read: int
    write: int
    timeout: int
    status: int = Field(description="responses with a status that the stream does not expect")
    garbage: int = Field(default=0, description="responses that are not HTTP; counted by ngxlab's own engines only")
    reset: int = Field(default=0, description="HTTP/2, HTTP/3: requests that nginx reset")
    refused: int = Field(default=0, description="HTTP/2, HTTP/3: requests that nginx refused unprocessed")
    share_percent: float | None = Field(description="all errors, of all answered requests; 100 where none was answered")


class RejectedSummary(AnalysisModel):
    """Responses that served nobody, by their status: no rate and no latency of the stream has them."""

    requests: int = Field(description="in the window, as far as they could be told apart")
    per_s: float | None = Field(description="over the stream's active time within the window")
    share_percent: float | None = Field(description="of all responses in the window, served or rejected")
    latency: LatencySummary | None = Field(description="None where there is none, or the engine cannot tell it apart")
    statuses: dict[str, int] = Field(description="over the stream's whole life; empty where the engine cannot tell")
    told_apart: ToldApart = Field(
        description="all: rate and latency are of served requests alone, or nothing was rejected; rate: latency "
        "includes rejected ones; nothing: the rate does too"
    )


class Accounting(AnalysisModel):
    """Three independent counts of the same requests (docs/checks.md, ``accounting``).

    Of one stream over its whole life, or of a trial: then each is the sum over all streams of all hosts, and ``None``
    if one stream's count is missing.
    """

    live_requests: int | None = Field(description="responses in the histograms that were read while the generator ran")
    printed_requests: int | None = Field(description="the generator's final count: wrk's print, or an engine's totals")
    stub_requests: int | None = Field(description="counted by nginx, less the polls of the agent")
    unread_percent: float = Field(
        default=0.0,
        description="share of the final count that the histograms lack, since the host was too busy to read the "
        "generator's last moments; then live_requests takes no part in the comparison",
    )
    max_disagreement_percent: float | None = Field(
        description="greatest difference between two counts, in percent of the greatest; None with fewer than two"
    )


class StreamSummary(AnalysisModel):
    """One stream in the measured window. A stream may start after the window starts, and end before it ends."""

    stream: str
    host_id: UUID | None = Field(default=None, description="where it ran")
    connections: int | None = Field(default=None, description="as planned")
    threads: int | None = Field(default=None, description="as planned")
    engine: EngineName = Field(default=DEFAULT_ENGINE, description="the load engine")
    probe: bool = Field(default=False, description="a light load that only observes; the trial's totals leave it out")
    latency_basis: LatencyBasis = Field(
        default="closed-loop",
        description="closed-loop: service time, from the first write of a request that may have waited for an earlier "
        "response; intended: from the instant at which the request was due, even if no connection was free",
    )
    active_s: float | None = Field(
        default=None, description="planned running time within the window; 0 if it ran only before or after the window"
    )
    requests: int | None = Field(description="served in the window")
    requests_per_s: float | None = Field(description="over its own active time within the window")
    latency: LatencySummary | None
    service: LatencySummary | None = Field(
        default=None, description="open loop: from the first write, as a closed loop would see it"
    )
    schedule: LatencySummary | None = Field(
        default=None, description="open loop: how late the generator sent although a connection was free"
    )
    intended: int | None = Field(default=None, description="open loop: requests that were due within the window")
    intended_per_s: float | None = Field(
        default=None, description="open loop: requests due per second, between the first and last reading in the window"
    )
    sent: int | None = Field(default=None, description="open loop: requests sent within the window")
    backlog_max: int | None = Field(
        default=None, description="open loop: most requests seen waiting for a connection within the window"
    )
    cpu_s: float | None = Field(default=None, description="CPU seconds of its generator over the window")
    rejected: RejectedSummary | None = Field(default=None, description="None where the generator reported no totals")
    errors: ErrorSummary | None
    accounting: Accounting | None
    printed: WrkPrint | None = Field(description="as printed by wrk: over its whole life, after wrk's own correction")
    totals: EngineTotals | None = Field(
        default=None, description="as one of ngxlab's own engines counted, over its whole life"
    )


Resource = Literal[
    "generator CPU",
    "one worker",
    "all workers",
    "all CPUs of the target",
    "disk",
    "network device",
    "accept queue",
    "upstream servers",
]


class ResourceUse(AnalysisModel):
    """One resource in the measured window of a trial. ``None`` is "not measured", which is no zero."""

    resource: Resource
    utilisation_percent: float | None = Field(description="of the busiest one: thread, worker, disk, device, server")
    saturation_percent: float | None = Field(
        description="share of the time in which work waited: for a CPU, for the disk, for the upstream servers"
    )
    errors: int | None = Field(description="work that was turned away, e.g. connections that the queue had no room for")
    limits: bool
    evidence: Sentence


class Bottleneck(AnalysisModel):
    """What limited one arm. ``resource``: ``None`` where none was found or nothing was measured: see the evidence."""

    resource: Resource | None
    trials: int = Field(description="usable trials in which this was found")
    of_trials: int
    evidence: Sentence = Field(description="of the trial in the middle")
    resources: list[ResourceUse] = Field(description="all that were measured, of the same trial")


class ChosenWindow(AnalysisModel):
    """Seconds since the start of the planned window; negative in the warm-up."""

    start_s: float
    end_s: float


class TriedRate(AnalysisModel):
    """One rate that the agent set. ``t_s``, from the beginning of the planned window, and ``seconds``: when requests of
    it were due. Latencies count from the instants at which they were; ``None`` where too few were served."""

    number: int
    t_s: float
    seconds: float
    per_s: float = Field(description="requests due a second")
    achieved_per_s: float = Field(description="requests served a second")
    due: int
    served: int
    failed: int = Field(description="requests that were not served")
    p50_us: int | None
    p90_us: int | None
    p99_us: int | None
    p999_us: int | None


class CapacityTried(TriedRate):
    """One rate of a search."""

    result: Literal["met", "missed", "void"] = Field(
        description="whether the rate met the goal; void: it says nothing of nginx, for instance since the generator "
        "was late"
    )
    reason: str = Field(description="why it was missed or void; empty where there is nothing to say")
    unmet: list[GoalBound] = Field(default=[], description="the bounds of the goal that it missed")


class CapacitySearch(AnalysisModel):
    """A search for the highest rate that meets a goal. Rates are requests a second."""

    stream: str
    goal: CapacityGoal
    goal_text: Sentence = Field(description="the goal ready to print: p99 ≤ 50 ms and errors ≤ 0.1 %")
    from_per_s: float = Field(description="the lowest rate that it may try")
    to_per_s: float = Field(description="the highest rate that it may try")
    ended: Literal["found", "every-rate", "no-rate", "generator", "unfinished"] | None = Field(
        description="found; every rate met the goal, or none did; the generator was at its limit before; time was up. "
        "None where the search was broken off"
    )
    capacity_per_s: float | None = Field(description="the estimate, where it was found")
    low_per_s: float | None = Field(description="by this one search, the capacity lies above it, with high_per_s")
    high_per_s: float | None = Field(description="by this one search, it lies below it, with a probability of 95 %")
    met_per_s: float | None = Field(description="the highest rate that is known to meet the goal")
    missed_per_s: float | None = Field(description="the lowest rate above it that is known not to")
    without_value: Sentence | None = Field(description="why the trial has no capacity; None where it has one")
    binding: list[GoalBound] = Field(
        default=[], description="the bounds that rates near the capacity missed; empty where that is not known"
    )
    binding_text: Sentence | None = Field(default=None, description="these ready to print: errors ≤ 0.1 %")
    steps: list[CapacityTried] = Field(description="every rate that was tried, in order")


class CurveRate(TriedRate):
    """One rate of a curve in one trial; ``achieved_per_s`` counts from its first answer on."""

    followed: bool = Field(
        description="whether throughput followed the rate; where it did not, latency only says how long the rate lasted"
    )
    cut_short: bool = Field(description="whether it ended before its time, since requests piled up")
    generator_late: bool = Field(
        description="whether the load generator's own delays may be in it: then its latency does not count, and its "
        "throughput only where it followed"
    )
    connections: int | None = Field(
        default=None,
        description="how many were in use, each as fast as it was answered; None where the rate was set",
    )


class TrialCurve(AnalysisModel):
    """Throughput and latency at each of several rates, within one trial. Rates are requests a second."""

    stream: str
    planned: int = Field(description="how many rates there should be")
    rates: list[CurveRate] = Field(description="those that were tried, in the order in which they were")
    plateau_per_s: float | None = Field(
        description="throughput at the rates that it did not follow, or where more connections did not raise it"
    )
    knee_connections: float | None = Field(
        default=None,
        description="connections that would make the plateau, were all as fast as the fewest; None of set rates",
    )
    without_plateau: Sentence | None = Field(description="why there is no plateau; None where there is one")
    followed_all: bool = Field(
        description="whether throughput followed every rate, or rose with the connections: a plateau lies beyond"
    )


class TrialNote(AnalysisModel):
    """A note of the agent, e.g. ``wrk-memory-unreadable``. ``t_s`` as for derived series."""

    host: str | None = Field(default=None, description="name of the host it came from, if there are several")
    severity: Literal["info", "warning", "error"]
    code: str
    message: str
    t_s: float | None


class ActionsSummary(AnalysisModel):
    """What one perturbation did in a trial. Durations are those of all actions that were not skipped."""

    perturbation: str
    action: str = Field(description="kind of the action, e.g. reload")
    host: str = Field(description="name of the host on which it acted")
    count: int = Field(description="actions that were due, skipped ones included")
    failed: int = Field(description="carried out without success")
    skipped: int = Field(description="not carried out, because the action before had not ended")
    mean_s: float | None = Field(description="mean duration; None where none ended")
    max_s: float | None = Field(description="longest duration; None where none ended")


class TrialSummary(AnalysisModel):
    """The values of one trial, and the input of :func:`analyse_run`. May be cached as JSON."""

    trial_id: UUID
    arm: str
    block: int
    position: int
    attempt: int
    state: str
    usable: bool = Field(
        description="completed, with a whole measured window and a request count: only such trials are compared"
    )
    unusable_reason: str | None

    window_chosen: ChosenWindow | None = Field(
        default=None, description="the window of which everything here was computed; None for the planned one"
    )
    window_s: float | None = Field(description="length of the measured window; None if it never began")
    requests: int | None = Field(description="served in the window, of all streams of all hosts except probes")
    requests_per_s: float | None = Field(description="served requests over the whole window")
    rate_source: Literal["histogram", "stub_status", "none"] = Field(
        description="histogram: exact counts from the generators; stub_status: nginx's counter without the polls"
    )
    latency: LatencySummary | None = Field(
        description="of served requests, all streams except probes merged; None where wrk's memory was unreadable"
    )
    latency_histogram: str | None = Field(description="the merged histogram, base64 HdrHistogram V2, microseconds")
    streams: list[StreamSummary] = Field(description="of all hosts, host by host in the order of their plans")
    connections_planned: int | None = Field(
        default=None, description="most connections that the plan has open at once within the window"
    )
    accounting: Accounting | None = Field(default=None, description="of all streams together")
    start_spread_us: int | None = Field(
        default=None,
        description="greatest difference between the instants at which hosts started their streams, by corrected "
        "clocks; 0 if one host runs them all",
    )

    nginx: NginxCounts | None
    nginx_build: NginxBuild | None = Field(default=None, description="the nginx under test; None where it is unknown")
    nginx_cpu_s_per_1000_requests: float | None = Field(description="all workers and the master, user + system")
    generator_cpu_s_per_1000_requests: float | None = Field(description="all generators of all hosts")
    upstream_cpu_s_per_1000_requests: float | None = Field(default=None, description="upstream servers of all hosts")
    cpu_percent_by_mode: dict[str, float] = Field(description="of all CPUs of the target; sums to about 100")
    workers: list[WorkerSummary]
    balance: Balance | None
    network: list[NetworkRate] = Field(description="of the target; devices with traffic only")
    agent_cpu_percent: float | None = Field(description="of one core of the target")
    sampling: SamplingSummary | None = Field(description="of the target")
    hosts: list[TrialHostSummary] = Field(default_factory=list, description="every host of the trial, the target first")
    notes: list[TrialNote]
    actions: list[ActionsSummary] = Field(default_factory=list, description="what each perturbation did")

    environment: dict[str, str] = Field(
        description="fingerprint of the hosts: kernel, nginx, wrk and settings; check `environment` compares it"
    )
    access_log: list[str] = Field(
        description="access_log directives of the configuration, in order; check `access-log` compares them"
    )
    left_to_nginx: list[str] = Field(
        default_factory=list,
        description="directives that the configuration leaves to nginx and whose default differs between its versions; "
        "check `nginx-defaults` compares them",
    )
    searches: list[CapacitySearch] = Field(
        default_factory=list, description="of the streams that search for the highest rate that meets a goal"
    )
    curves: list[TrialCurve] = Field(
        default_factory=list, description="of the streams that try several rates, one after the other"
    )
    steady_from_s: float | None = Field(
        default=None, description="when the rate became steady, if not before the planned window; None in a chosen one"
    )
    resources: list[ResourceUse] = Field(
        default_factory=list, description="what may have limited the load; the first that limits did"
    )
    within_variance: dict[str, float] = Field(
        default_factory=dict,
        description="of ln(value), by metric: how much the value would vary if the same process were measured for as "
        "long again; from its course within the window",
    )
    metric_values: dict[str, float] = Field(
        default_factory=dict,
        description="further values of the window, by the key of the metric that compares them; absent if not measured",
    )
