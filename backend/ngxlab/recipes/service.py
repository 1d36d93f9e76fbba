"""Recipes as pages show them: with their duration, and whether hosts can run them."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from ngxlab_contracts.hosts import Inventory

from ngxlab.analysis.metrics import METRICS
from ngxlab.definition.preview.definition import arm_previews, plan_preview
from ngxlab.definition.yaml import documents
from ngxlab.recipes.recipe import Recipe
from ngxlab.recipes.schemas import RecipeArm, RecipeDetail, RecipeFit, RecipeSummary

_INFOS = {metric.info.key: metric.info for metric in METRICS}


class KnownHost(NamedTuple):
    """A registered host that has told what it is."""

    id: UUID
    name: str
    inventory: Inventory


def summary(recipe: Recipe, hosts: Sequence[KnownHost]) -> RecipeSummary:
    return RecipeSummary.model_validate(_said(recipe, hosts))


def detail(recipe: Recipe, hosts: Sequence[KnownHost]) -> RecipeDetail:
    return RecipeDetail(
        **_said(recipe, hosts),
        previews=arm_previews(recipe.experiment),
        plan=plan_preview(recipe.experiment),
        slots=recipe.experiment.slots,
        definition=recipe.experiment,
        yaml=documents.to_yaml(recipe.experiment, recipe.title),
    )


def _said(recipe: Recipe, hosts: Iterable[KnownHost]) -> dict[str, Any]:
    info = _INFOS[recipe.outcome.metric]
    own = ("key", "title", "question", "expectation", "kind", "words", "source", "outcome", "shown")
    return {
        **{name: getattr(recipe, name) for name in own},
        "duration_s": recipe.seconds,
        "arms": [RecipeArm(key=arm.key, label=arm.label) for arm in recipe.experiment.arms],
        "metric_title": info.title,
        "unit": info.unit,
        "needs": recipe.need_infos,
        "hosts": [_fit(recipe, host) for host in hosts],
    }


def _fit(recipe: Recipe, host: KnownHost) -> RecipeFit:
    lacks = [need for need in recipe.needs_on(host.inventory, host.name) if not need.ok]
    return RecipeFit(host_id=host.id, host=host.name, fits=not any(need.must for need in lacks), lacks=lacks)
