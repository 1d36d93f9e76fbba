"""What is varied: factors, their levels, and the arms that are their combinations."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Annotated, Literal

from ngxlab_contracts.fields import field
from pydantic import Field

from ngxlab.definition.schema.base import KEY, LABEL, BuildKey, DefinitionModel, Key

LevelValue = str | int | float | bool
ArmKey = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$", max_length=400)]


class Level(DefinitionModel):
    """One value of a factor. ``variables``: what it sets, either values or whole configuration fragments. ``build``:
    the nginx that its arms run, see :mod:`ngxlab.definition.builds`."""

    key: Annotated[Key, field(KEY)]
    label: Annotated[str, field(LABEL, min_length=1, max_length=120)]
    variables: Annotated[
        dict[Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_]*$", max_length=60)], LevelValue],
        field(
            "what the level sets, by name: numbers, texts, or whole fragments of configuration, "
            "which expressions such as {{ workers }} refer to"
        ),
    ] = {}
    build: Annotated[
        BuildKey | None,
        field(
            "the nginx that its arms run, such as tengine or nginx-1.22.1: a name that a binary "
            "of the target's host answers to, or any name that a run binds to a binary (--nginx "
            "NAME=BINARY)"
        ),
    ] = None


class Factor(DefinitionModel):
    key: Annotated[Key, field(KEY)]
    label: Annotated[str, field(LABEL, min_length=1, max_length=120)]
    levels: Annotated[list[Level], field("its values, of which each arm has one", min_length=1, max_length=50)]


class ArmDefinition(DefinitionModel):
    """A combination of levels: factor key -> level key."""

    key: Annotated[ArmKey, field("the arm's name in this document")]
    label: Annotated[str, field(LABEL, min_length=1, max_length=400)]
    levels: Annotated[dict[str, str], field("a level of every factor")]


class Exclusion(DefinitionModel):
    """Excludes combinations that make no sense: for each factor named, the level is one of those listed."""

    when: Annotated[
        dict[str, Annotated[list[str], Field(min_length=1)]],
        field(
            "levels by factor; a combination is excluded if, for each factor named here, its level is listed",
            min_length=1,
        ),
    ]
    reason: Annotated[str, field("why, for people", max_length=300)] = ""


class MatrixDesign(DefinitionModel):
    """Every combination of levels, except excluded ones and arms that are switched off.

    An arm's key is its levels' keys joined by dots, in the order of the factors.
    """

    kind: Annotated[Literal["matrix"], field("matrix: every combination of levels")] = "matrix"
    exclude: Annotated[list[Exclusion], field("combinations that make no sense", max_length=200)] = []
    off: Annotated[list[ArmKey], field("keys of arms that do not run", max_length=1000)] = []


class ChosenDesign(DefinitionModel):
    """Only the named combinations."""

    kind: Annotated[Literal["chosen"], field("chosen: only the combinations named")] = "chosen"
    arms: Annotated[list[ArmDefinition], field("the combinations that run", min_length=1, max_length=200)]


MAX_ARMS = 200
THE_ONLY_ARM = "the only arm"
"""What the arm of an experiment without factors is called: pages say it in their reader's language."""


def arms_of(factors: Sequence[Factor], design: MatrixDesign | ChosenDesign) -> list[ArmDefinition]:
    """The arms that run. A matrix without factors is one arm called ``only``."""
    if isinstance(design, ChosenDesign):
        return list(design.arms)
    arms = matrix(factors)
    return [arm for arm in arms if arm.key not in design.off and not excluded_by(arm.levels, design.exclude)]


def matrix(factors: Sequence[Factor]) -> list[ArmDefinition]:
    """Every combination of levels, excluded or not."""
    if not factors:
        return [ArmDefinition(key="only", label=THE_ONLY_ARM, levels={})]
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
