"""The plan of a definition as a timeline."""

from ngxlab.definition.preview.perturbation_windows import perturbation_windows
from ngxlab.definition.preview.schemas import DesignPlan, PlanPreview, StreamWindow
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
