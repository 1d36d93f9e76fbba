"""From factors and a design to arms."""

from collections.abc import Mapping, Sequence
from itertools import product

from ngxlab.definition.schema.factors import ArmDefinition, ChosenDesign, Exclusion, Factor, MatrixDesign

MAX_ARMS = 200


def arms_of(factors: Sequence[Factor], design: MatrixDesign | ChosenDesign) -> list[ArmDefinition]:
    """The arms that run. A matrix without factors is one arm called ``only``."""
    if isinstance(design, ChosenDesign):
        return list(design.arms)
    arms = matrix(factors)
    return [arm for arm in arms if arm.key not in design.off and not excluded_by(arm.levels, design.exclude)]


def matrix(factors: Sequence[Factor]) -> list[ArmDefinition]:
    """Every combination of levels, excluded or not."""
    if not factors:
        return [ArmDefinition(key="only", label="the only arm", levels={})]
    return [
        ArmDefinition(
            key=".".join(level.key for level in levels),
            label=", ".join(level.label for level in levels)[:400],
            levels={factor.key: level.key for factor, level in zip(factors, levels, strict=True)},
        )
        for levels in product(*(factor.levels for factor in factors))
    ]


def excluded_by(levels: Mapping[str, str], exclusions: Sequence[Exclusion]) -> Exclusion | None:
    """The first exclusion that applies to this combination."""
    for exclusion in exclusions:
        if all(levels.get(factor) in named for factor, named in exclusion.when.items()):
            return exclusion
    return None
