"""One trial. Every field is computed from stored raw data."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from ngxlab.analysis.schemas.bottleneck import ResourceUse
from ngxlab.analysis.schemas.host import (
    Balance,
    NetworkRate,
    NginxBuild,
    NginxCounts,
    SamplingSummary,
    TrialHostSummary,
    WorkerSummary,
)
from ngxlab.analysis.schemas.latency import LatencySummary
from ngxlab.analysis.schemas.model import AnalysisModel
from ngxlab.analysis.schemas.stream import Accounting, StreamSummary


class ChosenWindow(AnalysisModel):
    """Seconds since the start of the planned window; negative in the warm-up."""

    start_s: float
    end_s: float


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
