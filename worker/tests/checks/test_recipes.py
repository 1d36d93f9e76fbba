"""Every recipe, run for a moment by a real nginx: the metric of its outcome is measured in both arms, and what is
counted, rather than timed, has the sign that the recipe says."""

import re
import shutil
from collections.abc import Iterator, Mapping
from uuid import uuid4

import pytest
from ngxlab.analysis.metrics import METRICS
from ngxlab.analysis.schemas import CheckResult
from ngxlab.definition.resolve import resolve
from ngxlab.definition.rules.steered import SHORTEST_RATE_S, SHORTEST_S
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.plan import Plan
from ngxlab.hosts.models import Host
from ngxlab.recipes.recipe import COUNTED, Recipe
from ngxlab.recipes.registry import recipes
from ngxlab.runs.dispatch import Casting, trial_spec
from ngxlab.runs.models import Run, RunHost, Trial
from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.protocol import CURRENT
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker.agent.this_host import describe_agents_host
from tests.checks.bench import Bench, Judged, judged_together
from tests.checks.test_questions import NEVER_BY_LOAD

WINDOW_S = 1.5
COUNTED_WINDOW_S = 2.5
"""What is counted may happen once a second, and what nginx caches for a second it may serve for up to two."""
READ = {metric.info.key: metric for metric in METRICS}
EVERY = recipes().values()


@pytest.mark.parametrize("recipe", EVERY, ids=lambda one: one.key)
def test_the_outcome_has_its_sign(bench: Bench, recipe: Recipe) -> None:
    inventory = describe_agents_host(bench.agent.settings)
    if missing := [need.detail for need in recipe.needs_on(inventory, "here") if need.must and not need.ok]:
        pytest.skip("; ".join(missing))
    outcome = recipe.outcome
    arms = (outcome.against, outcome.arm)
    window_s = COUNTED_WINDOW_S if outcome.metric in COUNTED else WINDOW_S
    judged = {arm: bench.run(short_trial(recipe.experiment, arm, inventory, window_s)) for arm in arms}
    against, arm = (_value(recipe, judged[arm]) for arm in arms)
    for one in judged.values():
        assert _void(one.results) == {}
    assert _void(judged_together(*judged.values())) == {}, "what is asked is no error of comparability"
    if outcome.metric in COUNTED:
        assert against is not None
        assert arm is not None
        low, high = (arm, against) if outcome.sign == "lower" else (against, arm)
        assert low < high, (against, arm)


def _value(recipe: Recipe, judged: Judged) -> float | None:
    """A search may come to no value on a busy machine; that there was one is what its check says."""
    value = READ[recipe.outcome.metric].value(judged.summary)
    if recipe.outcome.metric == "capacity_per_s":
        assert "capacity" in judged.results
    else:
        assert value is not None, judged.summary.unusable_reason
    return value


def _void(results: Mapping[str, CheckResult]) -> dict[str, str]:
    """Faults of the recipe itself. A busy machine has others, too."""
    found = {key: result.message for key, result in results.items() if result.severity == "error"}
    return {key: said for key, said in found.items() if key not in NEVER_BY_LOAD}


def short_trial(definition: Definition, arm: str, inventory: Inventory, window_s: float = WINDOW_S) -> TrialSpec:
    """One trial of an arm, as a run on this host alone would have it, with a short plan."""
    measure_s = max(window_s, _shortest_s(definition))
    plan = Plan.model_validate({**definition.plan.model_dump(), "warmup_s": 0.3, "measure_s": measure_s})
    short = definition.model_copy(update={"plan": plan.model_copy(update={"cooldown_s": 0.0, "interval_ms": 200})})
    host = Host(id=uuid4(), name="here", protocol=str(CURRENT))
    run = Run(id=uuid4(), builds=_builds(inventory), hosts=list(_everywhere(short, host, inventory)))
    casting = Casting(short, resolve(short, short.arm(arm)), run)
    return trial_spec(short, run, Trial(id=uuid4(), arm=arm, block=1, position=1, attempt=1), casting, host.id)


def _shortest_s(definition: Definition) -> float:
    """A search, and each rate of a curve, take their time."""
    searches = [SHORTEST_S for one in definition.streams if one.capacity is not None]
    curves = [SHORTEST_RATE_S * one.curve.count for one in definition.streams if one.curve is not None]
    return max([0.0, *searches, *curves])


def _builds(inventory: Inventory) -> dict[str, str]:
    """What recipes call the builds that they compare."""
    by_age = sorted(inventory.nginx, key=lambda one: [int(part) for part in re.findall(r"\d+", one.version)])
    return {"older": by_age[0].path, "newer": by_age[-1].path}


def _everywhere(definition: Definition, host: Host, inventory: Inventory) -> Iterator[RunHost]:
    stored = inventory.model_dump(mode="json")
    assert shutil.which("nginx")
    for slot in definition.slots:
        yield RunHost(slot=slot, host_id=host.id, host=host, address="127.0.0.1", inventory=stored)
