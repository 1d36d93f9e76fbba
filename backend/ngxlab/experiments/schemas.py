"""Payloads of experiments."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, model_validator

from ngxlab.core.payload import Payload
from ngxlab.definition.preview.schemas import ArmPreview, PlanPreview, RawDefinition
from ngxlab.definition.schema.base import ExperimentName
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import LevelValue


class ExperimentCreate(Payload):
    """A built-in template with parameters, or a definition of your own."""

    name: ExperimentName
    template_key: str | None = None
    parameters: dict[str, LevelValue] = {}
    definition: RawDefinition | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> "ExperimentCreate":
        if (self.template_key is None) == (self.definition is None):
            raise ValueError("give either template_key or definition")
        if self.parameters and self.template_key is None:
            raise ValueError("parameters belong to a template; leave them out with a definition")
        return self


class ExperimentUpdate(Payload):
    name: ExperimentName | None = None
    archived: bool | None = None


class ExperimentSummary(BaseModel):
    id: UUID
    name: str
    template_key: str | None
    created_at: datetime
    created_by: str
    archived_at: datetime | None


class ExperimentPage(BaseModel):
    items: list[ExperimentSummary]
    total: int


class ExperimentDetail(BaseModel):
    id: UUID
    name: str
    template_key: str | None
    created_at: datetime
    created_by: str
    archived_at: datetime | None
    may_edit: bool
    version_id: UUID
    version: int
    definition: Definition
    arms: list[ArmPreview]
    plan: PlanPreview
