"""Payloads of templates."""

from pydantic import BaseModel

from ngxlab.core.errors import FieldProblem
from ngxlab.core.payload import Payload
from ngxlab.definition.preview.schemas import ArmPreview, PlanPreview
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.base import Source
from ngxlab.templates.chart_data import ChartHead
from ngxlab.templates.form import Parameter, Preset
from ngxlab.templates.needs import NeedInfo


class TemplateSummary(BaseModel):
    key: str
    title: str
    summary: str
    question: str
    source: Source


class TemplateDetail(TemplateSummary):
    """``needs``: those of the default parameters. ``charts``: what a report shows, if it was measured."""

    mechanism: str
    parameters: list[Parameter]
    presets: list[Preset]
    needs: list[NeedInfo]
    charts: list[ChartHead]


class PreviewRequest(Payload):
    parameters: dict[str, LevelValue] = {}


class Preview(BaseModel):
    """The experiment of these parameters, and what it needs of its hosts. With ``problems``, all else is empty.

    ``slots``: what hosts can play, the target first.
    """

    arms: list[ArmPreview] = []
    baseline: str | None = None
    plan: PlanPreview | None = None
    slots: list[str] = []
    needs: list[NeedInfo] = []
    problems: list[FieldProblem] = []
