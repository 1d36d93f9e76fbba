"""Payloads of templates."""

from uuid import UUID

from pydantic import BaseModel, ConfigDict

from ngxlab.errors import FieldProblem
from ngxlab.experiments.definition import LevelValue
from ngxlab.templates.base import Source
from ngxlab.templates.chart_data import ChartHead
from ngxlab.templates.form import Parameter, Preset
from ngxlab.templates.needs import NeedInfo, NeedResult


class TemplateSummary(BaseModel):
    key: str
    title: str
    summary: str
    question: str
    source: Source


class TemplateDetail(TemplateSummary):
    """``needs`` are those of the default parameters. ``charts``: what a report of it will show, if measured."""

    mechanism: str
    parameters: list[Parameter]
    presets: list[Preset]
    needs: list[NeedInfo]
    charts: list[ChartHead]


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
    """What an experiment would be, and what it needs of its hosts. With ``problems``, all else is empty.

    ``slots``: the parts that hosts play, the target first.
    """

    arms: list[ArmPreview] = []
    baseline: str | None = None
    plan: PlanPreview | None = None
    slots: list[str] = []
    needs: list[NeedInfo] = []
    problems: list[FieldProblem] = []


class FitRequest(BaseModel):
    """Hosts and addresses as for starting a run: ``host_id`` plays every slot that ``hosts`` does not name."""

    model_config = ConfigDict(extra="forbid")

    parameters: dict[str, LevelValue] = {}
    host_id: UUID | None = None
    hosts: dict[str, UUID] = {}
    addresses: dict[str, str] = {}
    nginx: dict[str, str] = {}


class TemplateFit(BaseModel):
    """``fits``: a run would start, and everything the template must have is there."""

    fits: bool
    needs: list[NeedResult]
