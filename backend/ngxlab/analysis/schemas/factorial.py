"""What each factor does, and whether factors change each other's effect."""

from pydantic import Field

from ngxlab.analysis.schemas.metric import MetricKey
from ngxlab.analysis.schemas.model import AnalysisModel


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
    ci_low: float = Field(description="95 % interval of this effect alone")
    ci_high: float
    p_holm: float = Field(description="Holm-adjusted over all effects and interactions of the metric")
    significant: bool = Field(description="p_holm < 0.05")
    text: str = Field(description="e.g. threads=32 against threads=8: +12 % (95 % CI +8 % to +16 %)")


class FactorInteraction(AnalysisModel):
    """How much the effect of one factor's level changes with a level of another factor: a ratio of two ratios."""

    metric: MetricKey
    factors: tuple[str, str]
    levels: tuple[str, str]
    references: tuple[str, str]
    ratio: float = Field(description="1: the joint effect is the product of the two separate effects")
    ci_low: float
    ci_high: float
    p_holm: float
    significant: bool
    text: str
