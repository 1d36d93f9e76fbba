"""What a host serves at several goals, for planning."""

from typing import Literal

from ngxlab_contracts.sentences import Sentence
from pydantic import Field

from ngxlab.analysis.schemas.metric import AnalysisModel

Percentile = Literal["p50", "p90", "p99", "p999"]


class SizedRate(AnalysisModel):
    """The highest rate of an arm that meets a goal, over its trials. ``low`` and ``high``: its 95 % interval by blocks;
    ``None`` with a single trial."""

    per_s: float | None = Field(description="requests a second, the geometric mean; None where it was not measured")
    low: float | None = None
    high: float | None = None
    how: Literal["searched", "derived", "not-measured"] = Field(
        description="searched: the goal of the trials' searches; derived: from the rates that they tried, which is "
        "less sure; not-measured: those rates do not reach it"
    )
    why: Sentence | None = Field(default=None, description="why it was not measured; None where it was")


class ArmSizing(AnalysisModel):
    arm: str
    rates: list[SizedRate] = Field(description="one for each goal, in their order")


class SizedGoals(AnalysisModel):
    """Capacities where one bound of the goal goes from strict to loose, and the others stay."""

    percentile: Percentile = Field(description="of latency, which is bounded")
    besides: Sentence | None = Field(description="the other bounds of the goal, ready to print; None without any")
    goals_ms: list[float] = Field(description="bounds on the percentile, the strictest first")
    searched_ms: float | None = Field(description="the bound that the searches had; None where none did")
    arms: list[ArmSizing]


class Sizing(AnalysisModel):
    """Of a run whose trials search for a capacity or draw a curve. Nothing lies beyond what was tried."""

    stream: str
    percentiles: list[SizedGoals] = Field(description="one for each percentile of latency that may be bounded")
    not_valid: Sentence | None = Field(description="the error that voids claims on capacities; None without one")
