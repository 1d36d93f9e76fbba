"""What a run measured, for a template's charts, figures and conclusion. Pure: it reads nothing from the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from ngxlab_contracts.sentences import Sentence
from pydantic import PlainValidator, ValidationInfo

from ngxlab.analysis.metrics import METRICS, Metric
from ngxlab.analysis.schemas import ArmAnalysis, ArmMetric, Comparison, RolledCheck, RunAnalysis, TrialSummary
from ngxlab.analysis.verdict import wording
from ngxlab.analysis.verdict.claims import Margins, run_claims, usable_by_block
from ngxlab.analysis.verdict.comparison import arm_metric, inverted
from ngxlab.analysis.verdict.stream_comparison import stream_metrics
from ngxlab.analysis.verdict.voided import void, why_void
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.estimates import Estimate, estimate, quotient


def metric(key: str, stream: str | None = None) -> Metric:
    """A metric that every run is compared in; with ``stream``, that stream's own.

    A template may also make a :class:`Metric` of its own that reads anything in a trial's summary.
    """
    metrics = METRICS if stream is None else stream_metrics(stream)
    return next(one for one in metrics if one.info.key == key)


def _named(name: object, info: ValidationInfo) -> object:
    """What a ``template.toml`` refers to: the template's own by its key, else a metric by its :attr:`Metric.name`."""
    if not isinstance(name, str):
        return name
    own: Mapping[str, object] = info.context or {}
    stream, _, key = name.rpartition(".")
    return own[name] if name in own else metric(key, stream or None)


Named = PlainValidator(_named)
Quantity = Annotated[Metric, Named]


@dataclass(frozen=True)
class Evidence:
    """``trials``: the latest attempts that began, usable or not, without their histograms."""

    definition: Definition
    analysis: RunAnalysis
    trials: Sequence[TrialSummary]

    @property
    def parameters(self) -> Mapping[str, LevelValue]:
        """The values in the template's form."""
        return self.definition.template.parameters if self.definition.template is not None else {}

    @property
    def arms(self) -> list[ArmAnalysis]:
        return self.analysis.arms

    @property
    def baseline(self) -> ArmAnalysis:
        return next(arm for arm in self.arms if arm.is_baseline)

    @property
    def others(self) -> list[ArmAnalysis]:
        """All arms but the baseline."""
        return [arm for arm in self.arms if not arm.is_baseline]

    def arm(self, levels: Mapping[str, str]) -> ArmAnalysis | None:
        """The arm with these levels; if there are several, the one most similar to the baseline in other factors."""
        arms = [arm for arm in self.arms if levels.items() <= arm.levels.items()]
        like = self.baseline.levels.items()
        return max(arms, key=lambda arm: len(arm.levels.items() & like), default=None)

    def variables(self, arm: ArmAnalysis) -> dict[str, LevelValue]:
        """The variables that an arm's levels give to the definition's texts and numbers."""
        return self.definition.variables(self.definition.arm(arm.key))

    def usable(self, arm: ArmAnalysis) -> list[TrialSummary]:
        """The arm's usable trials, by block."""
        return list(self._by_block[arm.key].values())

    def measured(self, arm: ArmAnalysis, quantity: Metric) -> ArmMetric:
        """An arm's values by block and their mean, in any quantity, also in one that a check voids."""
        return arm_metric(quantity, self._by_block[arm.key], None)

    def mean(self, arm: ArmAnalysis | None, quantity: Metric) -> float | None:
        return self.measured(arm, quantity).mean if arm is not None else None

    def is_valid(self, quantity: Metric) -> bool:
        """Whether no check voids what is said of this quantity."""
        return why_void(self.analysis.checks, quantity.info.group) is None

    def values(self, arm: ArmAnalysis, quantity: Metric) -> list[float]:
        """The values of the usable trials; none where a check voids the quantity."""
        return [one.value for one in self.measured(arm, quantity).values] if self.is_valid(quantity) else []

    def estimate(self, arm: ArmAnalysis | None, quantity: Metric) -> Estimate | None:
        """An arm's mean with its interval; ``None`` without a value, and where a check voids the quantity."""
        values = self.values(arm, quantity) if arm is not None else []
        return estimate(values, ratio=quantity.info.scale == "ratio")

    def quotient(self, arm: ArmAnalysis, of: Metric, to: Metric, *, tests: int) -> Estimate | None:
        """Two quantities of the same trials, divided. ``tests``: how many such are judged, all to be true with 95 %."""
        valid = self.is_valid(of) and self.is_valid(to)
        return quotient(self.usable(arm), of, to, error=0.05 / tests) if valid else None

    def compare(self, arm: ArmAnalysis | None, against: ArmAnalysis | None, quantity: Metric) -> Comparison | None:
        """Compare any two arms; ``None`` if that is not possible.

        If one of them is the baseline, the run's own claim is returned, which is adjusted for all claims of the family.
        Two other arms are compared alone, which is exploratory.
        """
        if arm is None or against is None:
            return None
        if against.is_baseline and (own := self._claimed(arm, quantity)) is not None:
            return own.comparison
        if arm.is_baseline and (own := self._claimed(against, quantity)) is not None:
            return inverted(own.comparison, quantity.info.unit) if own.comparison is not None else None
        trials, other = self._by_block[arm.key], self._by_block[against.key]
        margins = Margins(self.analysis.margin)
        claims = run_claims([quantity], {against.key: other, arm.key: trials}, against.key, [], margins)
        judged = arm_metric(quantity, trials, claims.get((arm.key, quantity.name)), margins.of(quantity))
        return void([quantity], [judged], self.analysis.checks)[0].comparison

    def statement(self, arm: ArmAnalysis | None, against: ArmAnalysis | None, quantity: Metric) -> Sentence | None:
        """What the comparison of two arms says, worded as in the verdict.

        ``None`` if there is no comparison, where a check voids it, and where an exploratory one is undecided.
        """
        comparison = self.compare(arm, against, quantity)
        if arm is None or against is None or comparison is None or comparison.verdict == "not_valid":
            return None
        if comparison.family == "exploratory" and comparison.verdict == "undecided":
            return None
        own, base = self.measured(arm, quantity).mean, self.measured(against, quantity).mean
        if own is None or base is None:
            return None
        return wording.sentence(quantity, (arm.label, against.label), (own, base), comparison)

    def checks(self, *keys: str) -> list[RolledCheck]:
        """Those of the named validity checks that ended in a warning or an error."""
        results = self.analysis.checks.results
        return [check for check in results if check.key in keys and check.severity in {"warning", "error"}]

    def _claimed(self, arm: ArmAnalysis, quantity: Metric) -> ArmMetric | None:
        """The analysis' own comparison of an arm with the baseline; ``None`` for a quantity of the template's own."""
        streams = {one.stream: one.metrics for one in arm.streams}
        of_arm = arm.metrics if quantity.stream is None else streams.get(quantity.stream, [])
        return next((one for one in of_arm if one.metric == quantity.info.key), None)

    @cached_property
    def _by_block(self) -> dict[str, dict[int, TrialSummary]]:
        return {arm.key: usable_by_block(self.trials, arm.key) for arm in self.arms}
