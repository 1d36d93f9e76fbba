"""What a plan can find on the chosen hosts, from a calibration or from an earlier run of the experiment."""

import asyncio
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from ngxlab_contracts.sentences import Sentence
from ngxlab_verdict import Course
from ngxlab_verdict.families import own_shares
from ngxlab_verdict.learned import Scatter
from ngxlab_verdict.power import Plan
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.metrics import METRICS
from ngxlab.analysis.schemas import LearnedScatter, MetricNoise
from ngxlab.analysis.verdict.noise import TrialLength, more_or_longer
from ngxlab.core.clock import utcnow
from ngxlab.definition.identical import warnings
from ngxlab.definition.outlook import duration, expected
from ngxlab.definition.rules import streams as stream_rules
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.plan import UntilDecided
from ngxlab.experiments import repository as experiments
from ngxlab.experiments import service as experiment_service
from ngxlab.experiments.models import definition_of
from ngxlab.runs.calibration import scatter
from ngxlab.runs.calibration import service as calibrations
from ngxlab.runs.calibration.scatter import Shown
from ngxlab.runs.power.schemas import HostChoice, MetricPower, NewPowerRequest, PlanPower, PowerRequest
from ngxlab.runs.preflight.assignment import assign
from ngxlab.runs.schemas import RunCreate
from ngxlab.templates.primary import primary_metrics


def found_text(noise: MetricNoise, phrase: str, blocks: int, hosts: Sequence[str], effect: float | None) -> str:
    """``hosts``: names. ``effect``: 0.07 is 7 % of a ratio."""
    on = ", ".join(hosts)
    if blocks < 2:
        return f"1 block on {on} shows no difference in {phrase}: one pair has no interval."
    if effect is None:
        return f"{blocks} blocks on {on} show no difference in {phrase}: too much noise."
    size = effect_size(noise, effect)
    return f"{blocks} blocks on {on} show differences of {size} or more in {phrase}, with 80 % power."


def recommended_text(phrase: str, percent: float, margin: float, blocks: int | None, block_s: float) -> str:
    """``block_s``: what a block takes."""
    if blocks is not None:
        return f"For {percent:g} % in {phrase}: {blocks} blocks, {duration(blocks * block_s)}."
    if percent <= 100 * margin:
        return f"{percent:g} % in {phrase} is within the margin of {_percent(margin)}: no number of blocks shows it."
    return f"For {percent:g} % in {phrase}: more than 1,000 blocks."


def effect_size(noise: MetricNoise, effect: float) -> str:
    if noise.scale == "ratio":
        return _percent(effect)
    return f"{f'{effect:,.0f}' if effect >= 100 else f'{effect:.3g}'} {noise.unit}".rstrip()


def known_text(metrics: Sequence[MetricPower], source: str, at: datetime) -> str:
    by = "the A/A calibration" if source == "calibration" else "an earlier run"
    return f"{' '.join(metric.text for metric in metrics)} By {by} of {at:%Y-%m-%d}."


def unknown_text(why: str) -> str:
    return f"What this plan can find is unknown: {why}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0") + " %" if share < 0.1 else f"{100 * share:,.0f} %"


_MARGIN_OF_DIFFERENCES = {metric.info.key: metric.margin for metric in METRICS}


@dataclass(frozen=True)
class Known:
    """Where the noise is known from, and what the verdict will have learned of it."""

    source: Literal["calibration", "earlier-run"]
    shown: Shown
    learned: Sequence[LearnedScatter]


async def plan_power(session: AsyncSession, experiment_id: UUID, request: PowerRequest) -> PlanPower:
    """Raises NotFound and Invalid as starting the run would."""
    experiment = await experiment_service.get(session, experiment_id)
    version = await experiments.latest_version(session, experiment_id)
    return await _power(session, definition_of(version), experiment.template_key, request, experiment_id)


async def power_of_new(
    session: AsyncSession, definition: Definition, template_key: str | None, request: NewPowerRequest
) -> PlanPower:
    """As :func:`plan_power`, of what is not saved. A new experiment has no earlier run."""
    return await _power(session, definition, template_key, request, request.experiment_id)


async def _power(
    session: AsyncSession,
    definition: Definition,
    template_key: str | None,
    request: PowerRequest,
    experiment_id: UUID | None,
) -> PlanPower:
    """``experiment_id``: of the saved one, whose earlier runs tell the noise where no calibration does."""
    hosts = RunCreate(**request.model_dump(include=set(HostChoice.model_fields)))
    assigned = await assign(session, definition, hosts)
    now = calibrations.setting_of_assigned(definition, template_key, assigned)
    names = list(dict.fromkeys(entry.host.name for entry in assigned))
    used, stale = await calibrations.in_force(session, now, utcnow())
    source: Literal["calibration", "earlier-run"] = "calibration" if used is not None else "earlier-run"
    shown = Shown(used.run_id, used.taken_at, calibrations.readable_noise(used.noise)) if used is not None else None
    earlier = await scatter.of_earlier_runs(session, experiment_id, now) if experiment_id is not None else []
    shown = shown or next(iter(earlier), None)
    known = Known(source, shown, await scatter.learned(session, earlier, now)) if shown is not None else None
    plan = definition.plan
    planned = plan.most_blocks if isinstance(plan.stop, UntilDecided) else plan.blocks
    asked = _Asked(definition, request.blocks or planned, names, request.effect_percent)
    judged = await asyncio.to_thread(asked.judged, known, stale)
    warned = [*await asyncio.to_thread(warnings, definition), *stream_rules.warnings(definition)]
    return judged.model_copy(update={"warnings": warned})


@dataclass(frozen=True)
class _Asked:
    """``hosts``: names. ``percent``: the wanted effect."""

    definition: Definition
    blocks: int
    hosts: Sequence[str]
    percent: float | None

    @property
    def course(self) -> Course:
        """A plan with a stop rule may have all its blocks, and is looked at on the way."""
        plan = self.definition.plan
        return Course(max(self.blocks, plan.most_blocks) if plan.may_stop else self.blocks, stops=plan.may_stop)

    def judged(self, known: Known | None, stale: str | None) -> PlanPower:
        metrics = list(self._metrics(known)) if known and len(self.definition.arms) > 1 else []
        unknown = None if metrics else self._why_unknown(known, stale)
        used = known if metrics else None
        return PlanPower(
            arms=self._arms,
            blocks=self.blocks,
            source=used.source if used else None,
            source_run_id=used.shown.run_id if used else None,
            source_at=used.shown.at if used else None,
            unknown=unknown,
            metrics=metrics,
            text=known_text(metrics, used.source, used.shown.at) if used else unknown_text(unknown or ""),
            expected=self._expected(used) if used else [],
        )

    def _expected(self, known: Known) -> list[Sentence]:
        """Of the first primary metric, by which arms are chosen."""
        first = primary_metrics(self.definition)[0]
        noise = next((one for one in known.shown.noise if one.metric == first), None)
        if noise is None:
            return []
        return expected(self.definition, noise, self._phrase(noise), self.blocks, self._margin(noise))

    def _why_unknown(self, known: Known | None, stale: str | None) -> str:
        if len(self.definition.arms) < 2:
            return "it has one arm, and nothing to compare it with."
        if known is not None:
            return "no noise of its primary metrics has been measured here. Calibrate this host."
        if stale is not None:
            return f"the calibration of this host is stale, since {stale}. Calibrate this host again."
        return "calibrate this host."

    def _metrics(self, known: Known) -> Iterator[MetricPower]:
        primary = primary_metrics(self.definition)
        arms = self._arms
        shares = own_shares(len(primary), ordered=True, error=self.course.error_now(self.blocks))
        noise = {one.metric: one for one in known.shown.noise}
        learned = {one.metric: Scatter(one.deviation, one.degrees) for one in known.learned}
        for name, level in zip(primary, shares, strict=True):
            if name in noise:
                yield self._metric(noise[name], Plan(arms, level, self._margin(noise[name]), learned.get(name)))

    def _margin(self, noise: MetricNoise) -> float:
        """The margin on the additive scale."""
        if noise.scale == "ratio":
            return math.log1p(self.definition.plan.matters_percent / 100)
        return _MARGIN_OF_DIFFERENCES.get(noise.metric.rpartition(".")[2], 0.0)

    @property
    def _trial(self) -> TrialLength:
        """The length of a trial, as of those from which the noise is known: with another it would be another load."""
        phases = self.definition.plan.phases
        return TrialLength(phases.pop("measure_s"), sum(phases.values()))

    @property
    def _block_s(self) -> float:
        return self.definition.trial_seconds() * self._arms

    @property
    def _arms(self) -> int:
        """How many each block has."""
        return self.definition.trials(1) - self.definition.trials(0)

    def _metric(self, noise: MetricNoise, plan: Plan) -> MetricPower:
        ratio, known = noise.scale == "ratio", Scatter(noise.deviation, noise.degrees)
        smallest = plan.smallest_effect(known, self.blocks)
        effect = math.expm1(smallest) if smallest is not None and ratio else smallest
        margin = math.expm1(plan.margin) if ratio else plan.margin
        phrase = self._phrase(noise)
        text, recommended = found_text(noise, phrase, self.blocks, self.hosts, effect), None
        if (advice := more_or_longer(noise, phrase, self._trial)) is not None:
            text += f" {advice}"
        if self.percent is not None and ratio:
            recommended = plan.blocks_for(known, math.log1p(self.percent / 100))
            text += f" {recommended_text(phrase, self.percent, margin, recommended, self._block_s)}"
        return MetricPower(
            metric=noise.metric,
            title=noise.title,
            unit=noise.unit,
            scale=noise.scale,
            margin=margin,
            smallest_effect=effect,
            recommended_blocks=recommended,
            text=text,
        )

    @staticmethod
    def _phrase(noise: MetricNoise) -> str:
        return next((metric.phrase for metric in METRICS if metric.info.key == noise.metric), noise.title)
