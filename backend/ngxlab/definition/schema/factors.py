"""What is varied: factors, their levels, and the arms that are their combinations."""

from typing import Annotated, Literal

from pydantic import Field

from ngxlab.definition.schema.base import BuildKey, DefinitionModel, Key

LevelValue = str | int | float | bool
ArmKey = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$", max_length=400)]


class Level(DefinitionModel):
    """One value of a factor. ``variables``: what it sets, either values or whole configuration fragments. ``build``:
    the nginx that its arms run, see :mod:`ngxlab.definition.builds`."""

    key: Key
    label: Annotated[str, Field(min_length=1, max_length=120)]
    variables: dict[Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_]*$", max_length=60)], LevelValue] = {}
    build: BuildKey | None = None


class Factor(DefinitionModel):
    key: Key
    label: Annotated[str, Field(min_length=1, max_length=120)]
    levels: Annotated[list[Level], Field(min_length=1, max_length=50)]


class ArmDefinition(DefinitionModel):
    """A combination of levels: factor key -> level key."""

    key: ArmKey
    label: Annotated[str, Field(min_length=1, max_length=400)]
    levels: dict[str, str]


class Exclusion(DefinitionModel):
    """Excludes combinations that make no sense: for each factor named, the level is one of those listed."""

    when: Annotated[dict[str, Annotated[list[str], Field(min_length=1)]], Field(min_length=1)]
    reason: Annotated[str, Field(max_length=300)] = ""


class MatrixDesign(DefinitionModel):
    """Every combination of levels, except excluded ones and arms that are switched off.

    An arm's key is its levels' keys joined by dots, in the order of the factors.
    """

    kind: Literal["matrix"] = "matrix"
    exclude: Annotated[list[Exclusion], Field(max_length=200)] = []
    off: Annotated[list[ArmKey], Field(max_length=1000)] = []


class ChosenDesign(DefinitionModel):
    """Only the named combinations."""

    kind: Literal["chosen"] = "chosen"
    arms: Annotated[list[ArmDefinition], Field(min_length=1, max_length=200)]
