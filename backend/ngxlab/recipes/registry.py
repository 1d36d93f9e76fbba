"""All recipes: every YAML file of this folder is one, and its name is the recipe's key."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ngxlab.core.errors import NotFound
from ngxlab.definition.yaml import text as yaml_text
from ngxlab.recipes.recipe import KINDS, Recipe

SUFFIX = ".yaml"


@cache
def recipes() -> Mapping[str, Recipe]:
    """All recipes by key: by what they are about, then the short ones first."""
    folder = files("ngxlab.recipes")
    found = [
        parsed(entry.name.removesuffix(SUFFIX), entry.read_text(encoding="utf-8"))
        for entry in folder.iterdir()
        if entry.name.endswith(SUFFIX)
    ]
    ordered = sorted(found, key=lambda one: (KINDS.index(one.kind), one.seconds, one.key))
    return {one.key: one for one in ordered}


def parsed(key: str, text: str) -> Recipe:
    """A recipe's file as the recipe. Raises pydantic's ValidationError, which names each field that is wrong."""
    said: dict[str, Any] = dict(yaml_text.load(text).content)
    experiment = {**said.pop("experiment"), "question": said["question"]}
    return Recipe.model_validate({**said, "key": key, "experiment": experiment})


def recipe(key: str) -> Recipe:
    """Raises NotFound, naming the recipes that exist."""
    try:
        return recipes()[key]
    except KeyError:
        raise NotFound(
            "There is no recipe {key}. The recipes are {names}.", key=key, names=", ".join(recipes())
        ) from None
