"""The plan of a definition as a timeline."""

from collections.abc import Iterable
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from ngxlab_contracts.perturbations import Every, Once, When

from ngxlab.definition.preview.schemas import DesignPlan, PerturbationWindow, PlanPreview, StreamWindow
from ngxlab.definition.resolve import ResolvedArm
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.plan import UntilPrecise


def plan_preview(definition: Definition) -> PlanPreview:
    plan = definition.plan
    return PlanPreview(
        blocks=plan.blocks,
        arms=len(definition.arms),
        trials=plan.blocks * len(definition.arms),
        warmup_s=plan.warmup_s,
        measure_s=plan.measure_s,
        cooldown_s=plan.cooldown_s,
        total_s=definition.total_seconds(),
    )


def design_plan(definition: Definition, arms: list[ResolvedArm]) -> DesignPlan:
    plan = definition.plan
    most = max(plan.stop.max_blocks, plan.blocks) if isinstance(plan.stop, UntilPrecise) else plan.blocks
    trials = most * len(definition.arms)
    end = plan.warmup_s + plan.measure_s
    windows = [
        StreamWindow(
            key=stream.key,
            slot=stream.slot,
            start_s=stream.start_offset_s,
            end_s=end if stream.duration_s is None else stream.start_offset_s + stream.duration_s,
        )
        for stream in definition.streams
    ]
    return DesignPlan(
        **plan_preview(definition).model_dump(),
        trial_s=definition.trial_seconds(),
        max_blocks=most,
        max_trials=trials,
        max_total_s=definition.trial_seconds() * trials,
        streams=windows,
        perturbations=perturbation_windows(definition, arms),
    )


class Times(NamedTuple):
    """In seconds of the measured window; see :class:`PerturbationWindow`."""

    start_s: float
    end_s: float
    every_s: float | None
    actions: int


def times(when: When, measure_s: float) -> Times:
    if isinstance(when, Once):
        return Times(when.at_s, when.at_s, None, 1)
    end_s = measure_s if when.until_s is None else when.until_s
    if isinstance(when, Every):
        return Times(when.from_s, end_s, when.every_s, _beats(when.every_s, end_s - when.from_s))
    return Times(when.from_s, end_s, None, 1)


def _beats(every_s: float, span_s: float) -> int:
    """Computed in whole microseconds, as agents do."""
    return max(0, ceil(Fraction(round(span_s * 1e6), round(every_s * 1e6))))


def perturbation_windows(definition: Definition, arms: Iterable[ResolvedArm]) -> list[PerturbationWindow]:
    """One for each perturbation, or several if arms differ in its times. Arms that cannot be resolved are left out."""
    plan = definition.plan
    arms_by_times: dict[tuple[int, Times], list[str]] = {}
    for arm in arms:
        for i, one in enumerate(arm.perturbations):
            arms_by_times.setdefault((i, times(one.when, plan.measure_s)), []).append(arm.arm.key)
    return [
        PerturbationWindow(
            key=definition.perturbations[i].key,
            slot=definition.perturbations[i].slot,
            action=definition.perturbations[i].action.kind,
            start_s=plan.warmup_s + when.start_s,
            end_s=plan.warmup_s + when.end_s,
            every_s=when.every_s,
            actions=when.actions,
            arms=keys,
        )
        for (i, when), keys in sorted(arms_by_times.items())
    ]
