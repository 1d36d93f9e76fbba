"""Payloads of experiments."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ngxlab.experiments.definition import Definition, LevelValue
from ngxlab.experiments.design_schemas import RawDefinition
from ngxlab.runs.schemas import RunSummary
from ngxlab.templates.schemas import ArmPreview, PlanPreview

Name = Annotated[str, Field(min_length=1, max_length=120)]


class ExperimentCreate(BaseModel):
    """A built-in template with parameters, or a definition of one's own."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: Name
    template_key: str | None = None
    parameters: dict[str, LevelValue] = {}
    definition: RawDefinition | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> "ExperimentCreate":
        if (self.template_key is None) == (self.definition is None):
            raise ValueError("give either template_key or definition")
        if self.parameters and self.template_key is None:
            raise ValueError("parameters belong to a template; a definition has none")
        return self


class ExperimentUpdate(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: Name | None = None
    archived: bool | None = None


class ExperimentSummary(BaseModel):
    id: UUID
    name: str
    template_key: str | None
    created_at: datetime
    created_by: str
    archived_at: datetime | None
    runs: int
    last_run: RunSummary | None


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
    runs: list[RunSummary]
