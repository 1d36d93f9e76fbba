"""What a run adds to the trends of its experiment, kept beside its verdict: so trends read no trial."""

from collections.abc import Sequence

from ngxlab_contracts.sentences import Sentence, say
from pydantic import BaseModel

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmAnalysis, RunAnalysis, TrialSummary
from ngxlab.analysis.verdict.answers import result_of
from ngxlab.analysis.verdict.claims import Margins, unended, usable_by_block
from ngxlab.analysis.verdict.stream_comparison import metric_named
from ngxlab.analysis.verdict.voided import why_void
from ngxlab.definition.fragments import DefinitionError
from ngxlab.definition.loads import Shape, shape_of
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.templates.estimates import estimate


class ArmPoint(BaseModel):
    """The mean of an arm's usable trials with Student's 95 % interval; ``missing``: why there is none."""

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    trials: int = 0
    missing: Sentence | None = None


class MetricPoints(BaseModel):
    """A primary metric, by arm. ``void``: the check that voids what is said of it."""

    name: str
    margin: float
    void: Sentence | None
    arms: dict[str, ArmPoint]


class RunPoints(BaseModel):
    """``arms``: their labels. ``loads``: what load each had, if that is known. ``builds``: of nginx, that arms ran.

    ``window``: the one that was chosen after the run, in words. ``metrics``: in their order.
    """

    arms: dict[str, str]
    loads: dict[str, Shape]
    builds: list[str]
    window: Sentence | None
    metrics: list[MetricPoints]


def points_of(definition: Definition, analysis: RunAnalysis, trials: Sequence[TrialSummary]) -> RunPoints:
    """``trials``: all that the analysis had."""
    builds = [arm.nginx_build for arm in analysis.arms if arm.nginx_build is not None]
    metrics = [metric for name in analysis.primary if (metric := metric_named(name)) is not None]
    return RunPoints(
        arms={arm.key: arm.label for arm in analysis.arms},
        loads=_loads(definition),
        builds=sorted({f"{build.version} (sha256 {build.sha256[:12]})" for build in builds}),
        window=analysis.chosen_window,
        metrics=[_metric_points(metric, analysis, trials) for metric in metrics],
    )


def _loads(definition: Definition) -> dict[str, Shape]:
    loads = {}
    for arm in definition.arms:
        try:
            loads[arm.key] = shape_of(resolve(definition, arm).streams)
        except DefinitionError:  # the report says so
            continue
    return loads


def _metric_points(metric: Metric, analysis: RunAnalysis, trials: Sequence[TrialSummary]) -> MetricPoints:
    return MetricPoints(
        name=metric.name,
        margin=Margins(analysis.margin).of(metric),
        void=why_void(analysis.checks, metric.info.group),
        arms={arm.key: _point(metric, arm, trials) for arm in analysis.arms},
    )


def _point(metric: Metric, arm: ArmAnalysis, trials: Sequence[TrialSummary]) -> ArmPoint:
    reason = unended(metric, f"`{arm.label}`", usable_by_block(trials, arm.key))
    if reason is not None:
        return ArmPoint(missing=reason)
    measured = result_of(arm, metric)
    values = [one.value for one in measured.values] if measured is not None else []
    found = estimate(values, ratio=metric.info.scale == "ratio")
    if found is None:
        return ArmPoint(
            missing=(measured.missing_reason if measured is not None else None) or say("it was not measured")
        )
    return ArmPoint(mean=found.mean, low=found.low, high=found.high, trials=len(values))
