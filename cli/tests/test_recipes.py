"""``ngxlab recipes``, and ``ngxlab run --recipe``."""

import json

from harness import Backend
from tests.support.caller import Caller


def test_recipes_are_found_by_words(caller: Caller, lab: Backend) -> None:
    agent = lab.agent()
    every = caller.ngxlab("recipes")
    found = caller.ngxlab("recipes", "GZIP", "traffic")
    assert (every.returncode, found.returncode) == (0, 0)
    assert len(every.stdout.splitlines()) > len(found.stdout.splitlines()) == 2
    assert "gzip-levels" in found.stdout
    assert agent.name in found.stdout


def test_one_is_run_by_its_key(caller: Caller, lab: Backend) -> None:
    agent = lab.agent()
    begun = caller.ngxlab("run", "--recipe", "gzip-levels", "--host", agent.name, "--json")
    assert begun.returncode == 0, begun.stderr
    experiment_id = json.loads(begun.stdout)["run"]["experiment_id"]
    saved = caller.person.client.get(f"/experiments/{experiment_id}").raise_for_status().json()
    recipe = caller.person.client.get("/recipes/gzip-levels").raise_for_status().json()
    assert (saved["name"], saved["definition"]) == (recipe["title"], recipe["definition"])


def test_what_it_would_find_is_said_and_a_wrong_key_named(caller: Caller, lab: Backend) -> None:
    agent = lab.agent()
    plan = caller.ngxlab("run", "--recipe", "gzip-levels", "--host", agent.name, "--plan")
    assert plan.returncode == 0, plan.stderr
    wrong = caller.ngxlab("run", "--recipe", "nonsense", "--host", agent.name)
    assert (wrong.returncode, "There is no recipe nonsense" in wrong.stderr) == (4, True)
