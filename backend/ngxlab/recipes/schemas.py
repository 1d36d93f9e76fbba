"""Payloads of recipes."""

from uuid import UUID

from pydantic import BaseModel

from ngxlab.definition.preview.schemas import ArmPreview, PlanPreview
from ngxlab.definition.schema.definition import Definition
from ngxlab.recipes.recipe import RecipeKind, RecipeOutcome, RecipeShown, RecipeSource
from ngxlab.templates.needs import NeedInfo, NeedResult


class RecipeArm(BaseModel):
    """``label``: for people."""

    key: str
    label: str


class RecipeFit(BaseModel):
    """One host that would play every slot. ``lacks``: the needs that it does not meet; with one that is a must, the
    recipe cannot run there."""

    host_id: UUID
    host: str
    fits: bool
    lacks: list[NeedResult]


class RecipeSummary(BaseModel):
    """``title``: in a few words; ``question``: as a person would ask it; ``expectation``: what should happen, and why.
    ``words``: by which it is found, too. ``duration_s``: of a run, by its plan. ``unit``: of the outcome's metric,
    whose name for people is ``metric_title``. ``shown``: what the last recorded run of it showed. ``hosts``: the
    registered ones, and whether it can run there."""

    key: str
    title: str
    question: str
    expectation: str
    kind: RecipeKind
    words: list[str]
    source: RecipeSource
    duration_s: float
    arms: list[RecipeArm]
    outcome: RecipeOutcome
    metric_title: str
    unit: str
    shown: RecipeShown | None
    needs: list[NeedInfo]
    hosts: list[RecipeFit]


class RecipeDetail(RecipeSummary):
    """``previews``: every arm with the exact configuration that it runs. ``slots``: what hosts can play, the target
    first. ``definition``: the experiment that it makes; ``yaml``: the same as a document, with its name."""

    previews: list[ArmPreview]
    plan: PlanPreview
    slots: list[str]
    definition: Definition
    yaml: str
