"""Payloads about what a plan can find, and about calibrations."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from ngxlab_contracts.sentences import Sentence
from pydantic import BaseModel, Field, model_validator

from ngxlab.analysis.schemas import MetricNoise, Scale
from ngxlab.core.payload import Id, Payload
from ngxlab.definition.preview.schemas import RawDefinition, YamlText
from ngxlab.definition.problems import DefinitionProblem
from ngxlab.definition.schema.factors import LevelValue


class HostChoice(Payload):
    """Hosts and addresses as for starting a run."""

    host_id: Id | None = None
    hosts: dict[str, Id] = {}
    addresses: dict[str, str] = {}
    nginx: dict[str, str] = {}


class PowerRequest(HostChoice):
    """``effect_percent``: an effect that the run should find, for which a number of blocks is recommended."""

    effect_percent: Annotated[float, Field(gt=0, le=1000)] | None = None
    blocks: Annotated[int, Field(ge=1, le=100)] | None = None


class NewPowerRequest(PowerRequest):
    """A request about what is not saved: a template with its parameters, a YAML document, or a definition as it is in
    the editor. ``experiment_id``: the experiment of which that would be the next version: its runs tell the noise.
    """

    template_key: str | None = None
    parameters: dict[str, LevelValue] = {}
    yaml: YamlText | None = None
    definition: RawDefinition | None = None
    experiment_id: Id | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> "NewPowerRequest":
        if sum(given is not None for given in (self.template_key, self.yaml, self.definition)) != 1:
            raise ValueError("give one of template_key, yaml and definition")
        return self


class CalibrationRequest(HostChoice):
    """``arm``: which arm runs against itself; the baseline if not given."""

    blocks: Annotated[int, Field(ge=2, le=100)] = 5
    arm: Annotated[str, Field(max_length=400)] | None = None


class MetricPower(BaseModel):
    """``smallest_effect``: 0.07 is 7 % of a ratio, else in ``unit``; ``None`` where the plan finds nothing."""

    metric: str
    title: str
    unit: str
    scale: Scale
    margin: float
    smallest_effect: float | None
    recommended_blocks: int | None = Field(description="for the wanted effect; None if no number up to 1,000 finds it")
    text: str


class PlanPower(BaseModel):
    """What a run of this experiment on these hosts finds with 80 % power. ``unknown``: why nobody knows."""

    arms: int
    blocks: int
    source: Literal["calibration", "earlier-run"] | None
    source_run_id: UUID | None
    source_at: datetime | None
    unknown: str | None
    metrics: list[MetricPower] = Field(description="the primary metrics of which the noise is known, in their order")
    text: str = Field(description="all of it in sentences")
    expected: list[Sentence] = Field(
        default=[],
        description="what the known noise leads to expect of a search for the capacity, a curve or the choice among "
        "many arms: how wide intervals are, how often the best arm is dropped",
    )
    warnings: list[DefinitionProblem] = Field(
        default=[], description="what can be run, but may not be what is meant, such as arms that are the same"
    )


class CalibrationOut(BaseModel):
    """``stale``: what changed since it was taken, so that it is not used; ``None`` while it is in force."""

    id: UUID
    run_id: UUID | None = Field(description="None once the run was deleted; the calibration stays")
    experiment_id: UUID
    experiment_name: str
    template_key: str | None
    taken_at: datetime
    measure_s: float
    hosts: list[str]
    host_of_slot: dict[str, UUID]
    stale: str | None
    noise: list[MetricNoise]
