"""One arm of a run."""

from pydantic import Field

from ngxlab.analysis.schemas.bottleneck import Bottleneck
from ngxlab.analysis.schemas.comparison import ArmMetric, StreamComparison
from ngxlab.analysis.schemas.host import NginxBuild
from ngxlab.analysis.schemas.latency import DistributionPoint, LatencySummary
from ngxlab.analysis.schemas.model import AnalysisModel


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
    bottleneck: Bottleneck | None = Field(default=None, description="what limited the arm; None without usable trials")
    nginx_build: NginxBuild | None = Field(default=None, description="that it ran; None without usable trials")
    streams: list[StreamComparison] = Field(default_factory=list, description="by stream, if trials have more than one")
