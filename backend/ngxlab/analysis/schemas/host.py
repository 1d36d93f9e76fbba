"""One host of a trial: nginx and its workers, network, sampling."""

from uuid import UUID

from ngxlab_contracts.hosts import HostRole
from pydantic import Field

from ngxlab.analysis.schemas.model import AnalysisModel


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
