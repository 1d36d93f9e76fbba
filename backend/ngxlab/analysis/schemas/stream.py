"""One stream of a trial."""

from typing import Literal
from uuid import UUID

from ngxlab_contracts.streams import EngineName
from ngxlab_contracts.telemetry import EngineTotals, WrkPrint
from pydantic import Field

from ngxlab.analysis.schemas.latency import LatencySummary
from ngxlab.analysis.schemas.model import AnalysisModel

LatencyBasis = Literal["closed-loop", "intended"]


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
