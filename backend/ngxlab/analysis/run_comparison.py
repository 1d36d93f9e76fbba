"""Claims on arms of several runs, in the words of a run's own claims (docs/method.md, Comparing runs)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from ngxlab_contracts.sentences import Sentence, say
from ngxlab_verdict import Between, Claim, Question, Sides, judge_independent_arms

from ngxlab.analysis.metrics import Metric, metrics_of
from ngxlab.analysis.schemas import (
    Answer,
    ArmAnalysis,
    ArmMetric,
    CheckSummary,
    MetricInfo,
    StreamComparison,
    VerdictSentence,
)
from ngxlab.analysis.schemas.metric import AnalysisModel
from ngxlab.analysis.verdict.answers import answers_of, result_of
from ngxlab.analysis.verdict.claims import Margins, TrialsByBlock, rule_of, unended, values_of, without_estimate
from ngxlab.analysis.verdict.comparison import arm_metric
from ngxlab.analysis.verdict.notation import in_one_notation
from ngxlab.analysis.verdict.sentences import arm_sentence, headline_statements
from ngxlab.analysis.verdict.stream_comparison import stream_keys, stream_metrics
from ngxlab.analysis.verdict.voided import void, warned


@dataclass(frozen=True)
class Side:
    """An arm of a run, with the usable trials and the checks of that run. ``arm.key`` is unique across the runs.

    ``name``: what its own run calls it.
    """

    run: str
    name: str
    arm: ArmAnalysis
    trials: TrialsByBlock
    checks: CheckSummary

    @property
    def key(self) -> str:
        return self.arm.key


class Against(NamedTuple):
    """An arm, and the one that it is compared with: the baseline of this comparison."""

    own: Side
    base: Side

    @property
    def paired(self) -> bool:
        """Within one run trials are compared block by block, as its report does."""
        return self.own.run == self.base.run


class AcrossRuns(AnalysisModel):
    """What a run's analysis says of its arms, said of arms of several runs. ``arms`` have primary metrics only."""

    metrics: list[MetricInfo]
    arms: list[ArmAnalysis]
    answers: list[Answer]
    statements: list[VerdictSentence]


def compare_across(
    sides: Sequence[Side],
    against: Sequence[Against],
    primary: Sequence[str],
    margins: Margins,
    between: Mapping[str, Between],
) -> AcrossRuns:
    """``against``: the comparisons to make, of ``sides``, at most one for each. ``primary``: the metrics, in order.

    ``between``: how much runs of the same thing differ, by the metric's name, as far as it is known.
    """
    return _Across(sides, against, primary, margins, between).analyse()


@dataclass(frozen=True)
class _Across:
    sides: Sequence[Side]
    against: Sequence[Against]
    primary: Sequence[str]
    margins: Margins
    between: Mapping[str, Between]

    @cached_property
    def metrics(self) -> list[Metric]:
        """The primary metrics that a trial has, in their order."""
        trials = [trial for side in self.sides for trial in side.trials.values()]
        of_streams = [metric for key in stream_keys(trials) for metric in stream_metrics(key)]
        by_name = {metric.name: metric for metric in [*metrics_of(trials), *of_streams]}
        return [by_name[name] for name in self.primary if name in by_name]

    @cached_property
    def claims(self) -> Mapping[tuple[str, str], Claim]:
        """Claims by arm and metric. All are one family."""
        trials = [trial for side in self.sides for trial in side.trials.values()]
        question = Question(
            primary=[metric.name for metric in self.metrics],
            rules={metric.name: rule_of(metric, self.margins.of(metric), trials) for metric in self.metrics},
        )
        measured = {metric.name: {one.own.key: _values(metric, one) for one in self.against} for metric in self.metrics}
        claims = {
            (claim.arm, claim.metric): claim for claim in judge_independent_arms(measured, question, self.between)
        }
        for metric in self.metrics:
            for one in self.against:
                claim = claims[one.own.key, metric.name]
                if (reason := _unended(metric, one)) is not None:
                    claims[one.own.key, metric.name] = without_estimate(claim, reason)
                elif claim.low is not None and (reason := _disturbed(metric, one)) is not None:
                    claims[one.own.key, metric.name] = replace(
                        claim, verdict="undecided", low=None, high=None, at_least=False, reason=reason
                    )
        return claims

    def analyse(self) -> AcrossRuns:
        arms = {side.key: self._arm(side) for side in self.sides}
        compared = [(arms[one.own.key], arms[one.base.key]) for one in self.against]
        sentences = [
            arm_sentence(metric, pair, own, base)
            for metric in self.metrics
            for pair in compared
            if (own := result_of(pair[0], metric)) is not None and (base := result_of(pair[1], metric)) is not None
        ]
        return AcrossRuns(
            metrics=list({metric.info.key: metric.info for metric in self.metrics}.values()),
            arms=in_one_notation(list(arms.values())),
            answers=answers_of(self.metrics, compared, self.primary, self._labels),
            statements=headline_statements(sentences, self.primary),
        )

    @property
    def _labels(self) -> dict[str, str]:
        """Labels for answers: the run is named only where arms of several runs, or of one name, are asked about."""
        own = [one.own for one in self.against]
        is_clear = len({side.run for side in own}) == 1 and len(own) > 1
        return {side.key: side.name if is_clear else side.arm.label for side in own}

    def _arm(self, side: Side) -> ArmAnalysis:
        whole = [metric for metric in self.metrics if metric.stream is None]
        streams = list(dict.fromkeys(metric.stream for metric in self.metrics if metric.stream is not None))
        of_streams = [
            StreamComparison(
                stream=key, metrics=self._results(side, [metric for metric in self.metrics if metric.stream == key])
            )
            for key in streams
        ]
        return side.arm.model_copy(update={"metrics": self._results(side, whole), "streams": of_streams})

    def _results(self, side: Side, metrics: Sequence[Metric]) -> list[ArmMetric]:
        """Void where the checks of either run say so."""
        results = [
            arm_metric(metric, side.trials, self.claims.get((side.key, metric.name)), self.margins.of(metric))
            for metric in metrics
        ]
        base = next((one.base for one in self.against if one.own is side), None)
        for checks in [side.checks, *([base.checks] if base is not None else [])]:
            results = void(metrics, results, checks)
        return results


def _values(metric: Metric, against: Against) -> Sides:
    own, base = values_of([metric], [against.own.trials, against.base.trials])[0]
    return Sides(own.tolist(), base.tolist(), paired=against.paired)


_OF_ONE_RUN = ("noisy-host", "generator-saturated")
"""Warnings on what all arms of a run share, so that they stay comparable, and arms of another run do not."""


def _disturbed(metric: Metric, against: Against) -> Sentence | None:
    """Which of two runs was measured beside other work, or with a generator at its limit; ``None`` if neither was."""
    if against.paired:
        return None
    said = (
        say("of {arm}, {reason}", arm=f"`{side.arm.label}`", reason=reason)
        for side in (against.own, against.base)
        if (reason := warned(side.checks, _OF_ONE_RUN, metric.info.group)) is not None
    )
    return next(said, None)


def _unended(metric: Metric, against: Against) -> str | None:
    sides = (against.own, against.base)
    reasons = (unended(metric, f"`{side.arm.label}`", side.trials) for side in sides)
    return next((reason for reason in reasons if reason is not None), None)
