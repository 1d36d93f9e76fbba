"""What a definition would run, worked out as far as its problems allow."""

from collections.abc import Iterable, Mapping

from ngxlab.experiments import documents
from ngxlab.experiments.definition import (
    TARGET_SLOT,
    ArmDefinition,
    ChosenDesign,
    Definition,
    MatrixDesign,
    UntilPrecise,
)
from ngxlab.experiments.design import arms_of, excluded_by, matrix
from ngxlab.experiments.design_checks import is_countable
from ngxlab.experiments.design_schemas import (
    Combination,
    DefinitionPreview,
    DefinitionPreviewRequest,
    DesignPlan,
    SlotNeeds,
    StreamWindow,
)
from ngxlab.experiments.fragments import DefinitionError
from ngxlab.experiments.nginx_config import render
from ngxlab.experiments.parts import Parts
from ngxlab.experiments.perturbation_times import perturbation_windows
from ngxlab.experiments.resolve import ResolvedArm, resolve
from ngxlab.experiments.validation import Checked, check
from ngxlab.templates.schemas import ArmPreview
from ngxlab.templates.service import plan_of


def preview(request: DefinitionPreviewRequest) -> DefinitionPreview:
    """Never fails on a broken definition. Up to a second of CPU for 200 arms: not for the event loop."""
    checked = documents.read(request.yaml).checked if request.yaml is not None else check(request.definition or {})
    return preview_of(checked)


def preview_of(checked: Checked) -> DefinitionPreview:
    definition, parts = checked.definition, checked.parts
    arms = _arms(parts)
    resolved = list(_resolved(definition, arms)) if definition is not None else []
    return DefinitionPreview(
        problems=checked.problems,
        definition=definition,
        baseline=parts.baseline,
        matrix=combinations(parts),
        arms=list(_rendered(definition, arms)) if definition is not None else [],
        plan=design_plan(definition, resolved) if definition is not None and arms else None,
        slots=slot_needs(definition, resolved) if definition is not None else [],
    )


def _arms(parts: Parts) -> list[ArmDefinition]:
    if parts.factors is None or parts.design is None or not is_countable(parts.factors):
        return []
    return arms_of(parts.factors, parts.design)


def combinations(parts: Parts) -> list[Combination]:
    """Every combination of levels and what becomes of it."""
    if parts.factors is None or not is_countable(parts.factors):
        return []
    design = parts.design if parts.design is not None else MatrixDesign()
    if isinstance(design, ChosenDesign):
        chosen = {tuple(sorted(arm.levels.items())): arm for arm in design.arms}
        states = {arm.key: chosen.get(tuple(sorted(arm.levels.items()))) for arm in matrix(parts.factors)}
        return [
            _combination(states[arm.key] or arm, "on" if states[arm.key] else "off") for arm in matrix(parts.factors)
        ]
    return [_in_matrix(arm, design) for arm in matrix(parts.factors)]


def _in_matrix(arm: ArmDefinition, design: MatrixDesign) -> Combination:
    exclusion = excluded_by(arm.levels, design.exclude)
    if exclusion is not None:
        return _combination(arm, "excluded", exclusion.reason)
    return _combination(arm, "off" if arm.key in design.off else "on")


def _combination(arm: ArmDefinition, state: str, reason: str | None = None) -> Combination:
    return Combination.model_validate({**arm.model_dump(), "state": state, "reason": reason})


def _rendered(definition: Definition, arms: Iterable[ArmDefinition]) -> Iterable[ArmPreview]:
    """Arms that can be written; why another cannot is among the problems."""
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
        **plan_of(definition).model_dump(),
        trial_s=definition.trial_seconds(),
        max_blocks=most,
        max_trials=trials,
        max_total_s=definition.trial_seconds() * trials,
        streams=windows,
        perturbations=perturbation_windows(definition, arms),
    )


def slot_needs(definition: Definition, arms: list[ResolvedArm]) -> list[SlotNeeds]:
    """By slot, the most any arm needs. Without an arm that resolves there is nothing to say."""
    return [_needs(definition, arms, slot) for slot in definition.slots] if arms else []


def _needs(definition: Definition, arms: list[ResolvedArm], slot: str) -> SlotNeeds:
    own = {stream.key for stream in definition.streams if stream.slot == slot}
    backends = [backend for backend in definition.backends if backend.slot == slot]
    is_target = slot == TARGET_SLOT
    roles: Mapping[str, bool] = {"target": is_target, "generator": bool(own), "backend": bool(backends)}
    size = sum(files.count * files.size_bytes for files in definition.nginx.files) if is_target else 0
    return SlotNeeds.model_validate(
        {
            "slot": slot,
            "roles": [role for role, played in roles.items() if played],
            "streams": sorted(own),
            "backends": [backend.key for backend in backends],
            "connections": max(_connections(arm, own, is_target=is_target) for arm in arms),
            "processes": max(_processes(arm, own, is_target=is_target) for arm in arms)
            + sum(1 + backend.workers for backend in backends),
            "files_bytes": size,
        }
    )


def _connections(arm: ResolvedArm, own: set[str], *, is_target: bool) -> int:
    """A generator opens its streams' connections, the target accepts everybody's; one host may do both."""
    opened = sum(stream.connections for stream in arm.streams if stream.key in own)
    return opened + (sum(stream.connections for stream in arm.streams) if is_target else 0)


def _processes(arm: ResolvedArm, own: set[str], *, is_target: bool) -> int:
    threads = sum(stream.threads for stream in arm.streams if stream.key in own)
    return threads + (arm.workers + 1 if is_target else 0)
