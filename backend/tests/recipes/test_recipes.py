"""What every recipe must be, also one that is dropped in tomorrow; and how they are listed."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from harness import Backend, inventory
from ngxlab.analysis.metrics import METRICS
from ngxlab.core.errors import NotFound
from ngxlab.definition import validation
from ngxlab.recipes.document import document
from ngxlab.recipes.recipe import COUNTED, Recipe
from ngxlab.recipes.registry import parsed, recipe, recipes
from ngxlab_contracts.hosts import Capability, NginxBinary
from pydantic import ValidationError

LONGEST_S = 300
DOCUMENT = Path(__file__).parents[3] / "docs" / "recipes.md"
LUA = "http_lua_module"
KEYS = {metric.info.key for metric in METRICS}

every_recipe = pytest.mark.parametrize("recipe", recipes().values(), ids=recipes())


@every_recipe
def test_it_is_sound_and_names_what_it_has(recipe: Recipe) -> None:
    found = validation.validate(recipe.experiment.model_dump(mode="json"))
    assert (found.problems, found.warnings) == ([], [])
    arms = {arm.key for arm in recipe.experiment.arms}
    assert recipe.outcome.arm != recipe.outcome.against
    assert {recipe.outcome.arm, recipe.outcome.against} <= arms
    assert recipe.shown is None or set(recipe.shown.values) == arms


@every_recipe
def test_its_outcome_is_a_claim_of_its_report(recipe: Recipe) -> None:
    """Claims are made on primary metrics, against the baseline."""
    assert recipe.outcome.metric in KEYS
    assert recipe.experiment.plan.primary[0] == recipe.outcome.metric
    assert recipe.outcome.against == recipe.experiment.baseline


@every_recipe
def test_it_is_over_in_minutes_and_says_where_it_comes_from(recipe: Recipe) -> None:
    assert recipe.seconds <= LONGEST_S
    assert urlsplit(recipe.source.url).scheme == "https"
    assert recipe.question.endswith("?")


@every_recipe
def test_what_has_to_be_slow_says_that_it_needs_lua(recipe: Recipe) -> None:
    slow = [one for one in recipe.experiment.upstream_servers if one.behaviour and one.behaviour.kind == "slow"]
    assert {(need.slot, need.module) for need in recipe.needs} >= {(one.slot, LUA) for one in slow}


OLD, NEW = "1.22.1", "Tengine/9.0.0 (nginx/1.31.3)"


@pytest.mark.parametrize(
    ("key", "versions", "fits"),
    [
        ("least-time", [OLD], False),
        ("least-time", [NEW], True),
        ("newer-nginx", [NEW], False),
        ("newer-nginx", [OLD], False),
        ("newer-nginx", [OLD, NEW], True),
    ],
)
def test_what_needs_a_version_looks_at_all_builds(key: str, versions: list[str], fits: bool) -> None:
    builds = [
        NginxBinary(path=f"/opt/{n}/nginx", version=one, configure_arguments=[], modules=[LUA], sha256=str(n) * 64)
        for n, one in enumerate(versions)
    ]
    lacks = recipe(key).needs_on(inventory(nginx=builds), "here")
    assert all(need.ok for need in lacks) is fits, lacks


def test_what_is_counted_is_a_metric() -> None:
    assert COUNTED <= KEYS


def test_there_is_no_such_recipe() -> None:
    with pytest.raises(NotFound, match=r"The recipes are .*gzip-levels"):
        recipe("nonsense")


def test_a_mistake_in_a_file_is_named() -> None:
    with pytest.raises(ValidationError, match="expectation"):
        parsed("broken", "title: a\nquestion: b?\nexperiment: {}\n")


def test_the_table_is_current() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(), "run `make docs`"


def test_the_gallery_says_what_fits_each_host(backend: Backend) -> None:
    every = [need for one in recipes().values() for need in one.needs]
    whole = NginxBinary(
        path="/usr/sbin/nginx",
        version="1.31.3",
        configure_arguments=[need.option for need in every if need.option is not None],
        modules=[need.module for need in every if need.module is not None],
        sha256="0" * 64,
    )
    older = whole.model_copy(update={"version": "1.22.1", "path": "/opt/nginx-1.22/sbin/nginx", "sha256": "1" * 64})
    without = whole.model_copy(update={"modules": [module for module in whole.modules if module != LUA]})
    names = [need.capability for need in every if need.capability is not None]
    capabilities = [Capability(name=name, available=True, detail="yes") for name in names]
    able, unable = (backend.agent(nginx=[first, older], capabilities=capabilities) for first in (whole, without))
    person = backend.person()
    listed = person.client.get("/recipes").raise_for_status().json()
    assert (listed["next"], [one["key"] for one in listed["items"]]) == (None, list(recipes()))
    for one in listed["items"]:
        fits = {fit["host_id"]: fit for fit in one["hosts"]}
        assert fits[str(able.host_id)]["fits"] is True
        needs_lua = any(need["what"] == f"an nginx with {LUA}" for need in one["needs"])
        assert fits[str(unable.host_id)]["fits"] is not needs_lua


def test_a_recipe_becomes_an_ordinary_experiment(backend: Backend) -> None:
    person = backend.person()
    detail = person.client.get("/recipes/gzip-levels").raise_for_status().json()
    assert detail["duration_s"] == detail["plan"]["total_s"]
    assert [arm["key"] for arm in detail["previews"]] == [arm["key"] for arm in detail["arms"]]
    body = {"name": detail["title"], "definition": detail["definition"]}
    made = person.client.post("/experiments", json=body).raise_for_status().json()
    assert made["definition"] == detail["definition"]
    document = person.client.post("/experiments/import", json={"yaml": detail["yaml"]}).raise_for_status().json()
    assert (document["name"], document["definition"]) == (detail["title"], detail["definition"])
    assert person.client.get("/recipes/nonsense").status_code == 404
