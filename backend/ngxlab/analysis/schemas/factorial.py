"""What each factor does, and whether factors change each other's effect."""

from ngxlab_contracts.sentences import Sentence
from ngxlab_verdict import Family, Word
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
    ci_low: float = Field(description="of the interval that holds for all effects and interactions of its family")
    ci_high: float
    family: Family = Field(description="primary: of a primary metric; all primary effects are one family")
    verdict: Word = Field(description="by the margin and the words of all claims")
    text: Sentence = Field(description="e.g. threads=32 against threads=8: +12 % (95 % CI +8 % to +16 %), better")


class FactorInteraction(AnalysisModel):
    """How much the effect of one factor's level changes with a level of another factor: a ratio of two ratios."""

    metric: MetricKey
    factors: tuple[str, str]
    levels: tuple[str, str]
    references: tuple[str, str]
    ratio: float = Field(description="1: the joint effect is the product of the two separate effects")
    ci_low: float
    ci_high: float
    family: Family
    verdict: Word = Field(description="never better or worse: an interaction has no good direction")
    text: Sentence
