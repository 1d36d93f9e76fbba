"""What a definition would run, as far as its problems allow to say."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from ngxlab_contracts.perturbations import Every, Once, When

from ngxlab.definition.fragments import DefinitionError
from ngxlab.definition.nginx.config import render
from ngxlab.definition.outlook import outlook
from ngxlab.definition.preview.schemas import (
    ArmPreview,
    Combination,
    DefinitionPreview,
    DefinitionPreviewRequest,
    DesignPlan,
    PerturbationWindow,
    PlanPreview,
    SlotNeeds,
    StreamWindow,
)
from ngxlab.definition.problems import Sections
from ngxlab.definition.resolve import ResolvedArm, resolve
from ngxlab.definition.rules.arms import too_long
from ngxlab.definition.rules.design import is_countable
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.definition.schema.factors import ArmDefinition, ChosenDesign, MatrixDesign, arms_of, excluded_by, matrix
from ngxlab.definition.validation import Validated, validate
from ngxlab.definition.yaml import documents


def plan_preview(definition: Definition) -> PlanPreview:
    plan = definition.plan
    return PlanPreview(
        blocks=plan.blocks,
        arms=len(definition.arms),
        trials=definition.trials(plan.blocks),
        heat_trials=definition.trials(0),
        block_arms=definition.trials(1) - definition.trials(0),
        full_trials=plan.blocks * len(definition.arms),
        full_s=definition.trial_seconds() * plan.blocks * len(definition.arms),
        warmup_s=plan.warmup_s,
        measure_s=plan.measure_s,
        cooldown_s=plan.cooldown_s,
        total_s=definition.total_seconds(),
    )


def design_plan(definition: Definition, arms: list[ResolvedArm]) -> DesignPlan:
    plan = definition.plan
    most = max(plan.most_blocks, plan.blocks)
    trials = definition.trials(most)
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
        outlook=outlook(definition, arms),
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


def preview(request: DefinitionPreviewRequest) -> DefinitionPreview:
    """Never raises on a broken definition. May take a second of CPU for 200 arms: do not call it in the event loop."""
    validated = (
        documents.read(request.yaml).validated if request.yaml is not None else validate(request.definition or {})
    )
    return preview_of(validated)


def preview_of(validated: Validated) -> DefinitionPreview:
    definition, sections = validated.definition, validated.sections
    arms = _arms(sections)
    resolved = list(_resolved(definition, arms)) if definition is not None else []
    return DefinitionPreview(
        problems=validated.problems,
        warnings=validated.warnings,
        definition=definition,
        baseline=sections.baseline,
        matrix=combinations(sections),
        arms=list(_rendered(definition, arms)) if definition is not None else [],
        plan=design_plan(definition, resolved) if definition is not None and arms else None,
        slots=slot_needs(definition, resolved) if definition is not None else [],
    )


def _arms(sections: Sections) -> list[ArmDefinition]:
    if sections.factors is None or sections.design is None or not is_countable(sections.factors):
        return []
    return arms_of(sections.factors, sections.design)


def combinations(sections: Sections) -> list[Combination]:
    """Every combination of levels, with the state that the design gives it."""
    if sections.factors is None or not is_countable(sections.factors):
        return []
    design = sections.design if sections.design is not None else MatrixDesign()
    if isinstance(design, ChosenDesign):
        chosen = {tuple(sorted(arm.levels.items())): arm for arm in design.arms}
        states = {arm.key: chosen.get(tuple(sorted(arm.levels.items()))) for arm in matrix(sections.factors)}
        return [
            _combination(states[arm.key] or arm, "on" if states[arm.key] else "off") for arm in matrix(sections.factors)
        ]
    return [_in_matrix(arm, design) for arm in matrix(sections.factors)]


def _in_matrix(arm: ArmDefinition, design: MatrixDesign) -> Combination:
    exclusion = excluded_by(arm.levels, design.exclude)
    if exclusion is not None:
        return _combination(arm, "excluded", exclusion.reason)
    return _combination(arm, "off" if arm.key in design.off else "on")


def _combination(arm: ArmDefinition, state: str, reason: str | None = None) -> Combination:
    return Combination.model_validate({**arm.model_dump(), "state": state, "reason": reason})


def _rendered(definition: Definition, arms: Sequence[ArmDefinition]) -> Iterable[ArmPreview]:
    """The arms that can be rendered; the problems say why others cannot."""
    if too_long(definition, arms) is not None:
        return
    for arm in arms:
        try:
            config = render(definition, arm)
        except DefinitionError:
            continue
        yield ArmPreview(key=arm.key, label=arm.label, levels=arm.levels, config=config)


def _resolved(definition: Definition, arms: Iterable[ArmDefinition]) -> Iterable[ResolvedArm]:
    for arm in arms:
        try:
            yield resolve(definition, arm)
        except DefinitionError:
            continue


def slot_needs(definition: Definition, arms: list[ResolvedArm]) -> list[SlotNeeds]:
    """By slot, the most that any arm needs. Empty if no arm can be resolved."""
    return [_needs(definition, arms, slot) for slot in definition.slots] if arms else []


def _needs(definition: Definition, arms: list[ResolvedArm], slot: str) -> SlotNeeds:
    own = {stream.key for stream in definition.streams if stream.slot == slot}
    upstream_servers = [upstream for upstream in definition.upstream_servers if upstream.slot == slot]
    is_target = slot == TARGET_SLOT
    roles: Mapping[str, bool] = {"target": is_target, "generator": bool(own), "upstream": bool(upstream_servers)}
    size = sum(files.total_bytes for files in definition.nginx.files) if is_target else 0
    return SlotNeeds.model_validate(
        {
            "slot": slot,
            "roles": [role for role, played in roles.items() if played],
            "streams": sorted(own),
            "upstream_servers": [upstream.key for upstream in upstream_servers],
            "connections": max(_connections(arm, own, is_target=is_target) for arm in arms),
            "processes": max(_processes(arm, own, is_target=is_target) for arm in arms)
            + sum(1 + upstream.workers for upstream in upstream_servers),
            "files_bytes": size,
        }
    )


def _connections(arm: ResolvedArm, own: set[str], *, is_target: bool) -> int:
    """A generator opens its streams' connections, the target accepts those of all; one host may do both."""
    opened = sum(stream.connections for stream in arm.streams if stream.key in own)
    return opened + (sum(stream.connections for stream in arm.streams) if is_target else 0)


def _processes(arm: ResolvedArm, own: set[str], *, is_target: bool) -> int:
    threads = sum(stream.threads for stream in arm.streams if stream.key in own)
    return threads + (arm.workers + 1 if is_target else 0)


def arm_previews(definition: Definition) -> list[ArmPreview]:
    """Every arm with the exact configuration that it runs."""
    return [
        ArmPreview(key=arm.key, label=arm.label, levels=arm.levels, config=render(definition, arm))
        for arm in definition.arms
    ]
