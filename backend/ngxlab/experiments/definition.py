"""The definition of an experiment: what is compared, under which load, by which plan. Stored as JSON, versioned."""

from typing import Annotated

from ngxlab_contracts.trials import StreamSpec
from pydantic import BaseModel, ConfigDict, Field, model_validator

LevelValue = str | int | float | bool
Key = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=60)]


class DefinitionPart(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Level(DefinitionPart):
    """One value of a factor. ``variables`` is what it contributes to the configuration template."""

    key: Key
    label: str
    variables: dict[str, LevelValue] = {}


class Factor(DefinitionPart):
    key: Key
    label: str
    levels: Annotated[list[Level], Field(min_length=1)]


class ArmDefinition(DefinitionPart):
    """A combination of levels: factor key -> level key."""

    key: Key
    label: str
    levels: dict[str, str]


class NginxTemplate(DefinitionPart):
    """Fragments of nginx.conf (Jinja, over the variables of an arm's levels).

    ngxlab itself writes the rest: process, pid, error log, temp paths, listeners and the status server.
    """

    workers: Annotated[int, Field(ge=1, le=256)]
    worker_connections: Annotated[int, Field(ge=16, le=1_000_000)]
    events: str = ""
    http: str = ""
    listen_options: str = ""
    server: str


class Plan(DefinitionPart):
    """Randomised complete blocks: every block runs each arm once, in an order drawn from the run's seed."""

    blocks: Annotated[int, Field(ge=1, le=100)]
    warmup_s: Annotated[float, Field(ge=0, le=600)]
    measure_s: Annotated[float, Field(ge=1, le=3600)]
    cooldown_s: Annotated[float, Field(ge=0, le=600)] = 1.0
    interval_ms: Annotated[int, Field(ge=100, le=60_000)] = 1000


class TemplateOrigin(DefinitionPart):
    key: str
    parameters: dict[str, LevelValue]


class Definition(DefinitionPart):
    """Everything a run needs, except the hosts and the seed."""

    schema_version: int = 1
    question: str
    template: TemplateOrigin | None = None
    factors: list[Factor]
    arms: Annotated[list[ArmDefinition], Field(min_length=1)]
    baseline: str
    nginx: NginxTemplate
    streams: Annotated[list[StreamSpec], Field(min_length=1)]
    plan: Plan

    @model_validator(mode="after")
    def _arms_are_consistent(self) -> "Definition":
        keys = [arm.key for arm in self.arms]
        if len(set(keys)) != len(keys):
            raise ValueError("arms: two arms have the same key")
        if self.baseline not in keys:
            raise ValueError(f"baseline: there is no arm {self.baseline}; choose one of {', '.join(keys)}")
        known = {factor.key: {level.key for level in factor.levels} for factor in self.factors}
        for arm in self.arms:
            for factor, level in arm.levels.items():
                if level not in known.get(factor, set()):
                    raise ValueError(f"arms.{arm.key}: factor {factor} has no level {level}")
        return self

    def arm(self, key: str) -> ArmDefinition:
        return next(arm for arm in self.arms if arm.key == key)

    def variables(self, arm: ArmDefinition) -> dict[str, LevelValue]:
        """The values an arm's levels contribute to the configuration template."""
        merged: dict[str, LevelValue] = {}
        for factor in self.factors:
            for level in factor.levels:
                if arm.levels.get(factor.key) == level.key:
                    merged.update(level.variables)
        return merged

    def trial_seconds(self) -> float:
        """One trial's phases; starting and stopping nginx adds less than half a second."""
        return self.plan.warmup_s + self.plan.measure_s + self.plan.cooldown_s

    def total_seconds(self) -> float:
        return self.trial_seconds() * self.plan.blocks * len(self.arms)
