"""What a run measured, as a template's charts, figures and conclusion read it. Pure: nothing is fetched here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ngxlab.analysis.metrics import METRICS, Metric
from ngxlab.analysis.schemas import ArmAnalysis, ArmMetric, Comparison, RolledCheck, RunAnalysis, TrialSummary
from ngxlab.analysis.verdict import wording
from ngxlab.analysis.verdict.comparison import arm_metric
from ngxlab.analysis.verdict.stream_comparison import stream_metrics
from ngxlab.analysis.verdict.usable_trials import usable_by_block
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import LevelValue


def metric(key: str, stream: str | None = None) -> Metric:
    """A quantity that runs are compared in anyway; with ``stream``, that stream's own.

    A template may as well make a :class:`Metric` of its own that reads whatever a trial's summary has.
    """
    known = METRICS if stream is None else stream_metrics(stream)
    return next(one for one in known if one.info.key == key)


@dataclass(frozen=True)
class Evidence:
    """``trials``: the latest attempts that began, usable or not, without their histograms."""

    definition: Definition
    analysis: RunAnalysis
    trials: Sequence[TrialSummary]

    @property
    def parameters(self) -> Mapping[str, LevelValue]:
        """What the template's form held."""
        return self.definition.template.parameters if self.definition.template is not None else {}

    @property
    def arms(self) -> list[ArmAnalysis]:
        return self.analysis.arms

    @property
    def baseline(self) -> ArmAnalysis:
        return next(arm for arm in self.arms if arm.is_baseline)

    def arm(self, levels: Mapping[str, str]) -> ArmAnalysis | None:
        """The arm with these levels; of several, the one most like the baseline in the other factors."""
        found = [arm for arm in self.arms if levels.items() <= arm.levels.items()]
        like = self.baseline.levels.items()
        return max(found, key=lambda arm: len(arm.levels.items() & like), default=None)

    def variables(self, arm: ArmAnalysis) -> dict[str, LevelValue]:
        """What the levels of an arm contribute to the definition's texts and numbers."""
        return self.definition.variables(self.definition.arm(arm.key))

    def usable(self, arm: ArmAnalysis) -> list[TrialSummary]:
        """The arm's trials that count, by block."""
        return list(self._by_block[arm.key].values())

    def measured(self, arm: ArmAnalysis, quantity: Metric) -> ArmMetric:
        """An arm's values by block and their mean, in any quantity."""
        return arm_metric(quantity, self._by_block[arm.key], None, self.analysis.margin)

    def mean(self, arm: ArmAnalysis | None, quantity: Metric) -> float | None:
        return self.measured(arm, quantity).mean if arm is not None else None

    def compare(self, arm: ArmAnalysis | None, against: ArmAnalysis | None, quantity: Metric) -> Comparison | None:
        """Any two arms, paired by block as all comparisons are; ``None`` where there is none to be made."""
        if arm is None or against is None:
            return None
        own, other = self._by_block[arm.key], self._by_block[against.key]
        return arm_metric(quantity, own, other, self.analysis.margin).comparison

    def statement(self, arm: ArmAnalysis | None, against: ArmAnalysis | None, quantity: Metric) -> str | None:
        """What the comparison of two arms says, as the verdict words it; ``None`` where there is none to be made."""
        comparison = self.compare(arm, against, quantity)
        if arm is None or against is None or comparison is None:
            return None
        own, base = self.measured(arm, quantity).mean, self.measured(against, quantity).mean
        if own is None or base is None:
            return None
        return wording.sentence(quantity, arm.label, against.label, (own, base), comparison)

    def checks(self, *keys: str) -> list[RolledCheck]:
        """Those of the named validity rules that ended in a warning or an error."""
        found = self.analysis.checks.results
        return [check for check in found if check.key in keys and check.severity in {"warning", "error"}]

    @cached_property
    def _by_block(self) -> dict[str, dict[int, TrialSummary]]:
        return {arm.key: usable_by_block(self.trials, arm.key) for arm in self.arms}
