"""One stream of a trial."""

from typing import Literal
from uuid import UUID

from ngxlab_contracts.engines import DEFAULT_ENGINE, EngineName
from ngxlab_contracts.telemetry import EngineTotals, WrkPrint
from pydantic import Field

from ngxlab.analysis.schemas.latency import LatencySummary
from ngxlab.analysis.schemas.model import AnalysisModel

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
