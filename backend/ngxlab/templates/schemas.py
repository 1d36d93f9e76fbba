"""Payloads of templates."""

from pydantic import BaseModel, ConfigDict

from ngxlab.errors import FieldProblem
from ngxlab.experiments.definition import LevelValue
from ngxlab.templates.base import Parameter, Preset, Source


class TemplateSummary(BaseModel):
    key: str
    title: str
    summary: str
    question: str
    source: Source


class TemplateDetail(TemplateSummary):
    mechanism: str
    parameters: list[Parameter]
    presets: list[Preset]


class PreviewRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    parameters: dict[str, LevelValue] = {}


class ArmPreview(BaseModel):
    """An arm with its rendered nginx.conf; values only the host knows stand as ``@@name@@``."""

    key: str
    label: str
    levels: dict[str, str]
    config: str


class PlanPreview(BaseModel):
    blocks: int
    arms: int
    trials: int
    warmup_s: float
    measure_s: float
    cooldown_s: float
    total_s: float


class Preview(BaseModel):
    """What an experiment would be. With ``problems``, arms and plan are empty."""

    arms: list[ArmPreview] = []
    baseline: str | None = None
    plan: PlanPreview | None = None
    problems: list[FieldProblem] = []
