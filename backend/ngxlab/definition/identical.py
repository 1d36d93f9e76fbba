"""Arms that are the same although they have different names, and what load a definition has."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from ngxlab_contracts.sentences import say

from ngxlab.definition.fragments import DefinitionError, names_in
from ngxlab.definition.nginx.config import render
from ngxlab.definition.nginx.dynamic_upstreams import upstream_spec
from ngxlab.definition.nginx.upstream_server import render_upstream_server
from ngxlab.definition.problems import DefinitionProblem, some_of
from ngxlab.definition.resolve import ResolvedArm, resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition, Factor, Level

_MANY = 5


def warnings(definition: Definition) -> list[DefinitionProblem]:
    """What can be run, but may not be what is meant, of a definition without problems; an arm that is compared with
    itself (A/A) may be on purpose, so none of it is refused. Nothing is said where an arm cannot be rendered."""
    try:
        groups = groups_of_identical_arms(definition)
    except DefinitionError:
        return []
    used = frozenset(_names_used(definition.model_dump(mode="json", exclude={"factors"})))
    group_of = {arm: number for number, group in enumerate(groups) for arm in group}
    found: list[DefinitionProblem] = []
    is_explained = False
    for i, factor in enumerate(definition.factors):
        idle = list(_idle(definition, factor, group_of))
        unused = _unused(factor, used)
        found += [_of_variable(i, levels[0], name) for name, levels in unused.items()]
        explained = {level for levels in unused.values() for level in levels}
        found += [_of_level(i, factor, *pair) for pair in idle if explained.isdisjoint(pair)]
        is_explained = is_explained or bool(idle)
    return found if is_explained else found + [_of_arms(definition, group) for group in groups]


def _names_used(value: Any) -> Iterator[str]:
    """The variables that any text within ``value`` names."""
    if isinstance(value, str):
        yield from names_in(value)
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _names_used(one)


def _unused(factor: Factor, used: frozenset[str]) -> dict[str, list[int]]:
    """By variable, the levels that set it."""
    found: dict[str, list[int]] = {}
    for j, level in enumerate(factor.levels):
        for name in level.variables.keys() - used:
            found.setdefault(name, []).append(j)
    return found


def _idle(definition: Definition, factor: Factor, group_of: dict[str, int]) -> Iterator[tuple[int, int]]:
    """Pairs of levels that set something else, although all arms that differ in nothing else are the same; each level
    with the first of its like."""
    arms = {tuple(sorted(arm.levels.items())): arm.key for arm in definition.arms}
    for j, level in enumerate(factor.levels):
        for i, other in enumerate(factor.levels[:j]):
            if _settings(level) != _settings(other) and _are_same(factor, level, other, arms, group_of):
                yield i, j
                break


def _settings(level: Level) -> tuple[Any, ...]:
    return level.build, level.variables


def _are_same(
    factor: Factor,
    level: Level,
    other: Level,
    arms: dict[tuple[tuple[str, str], ...], str],
    group_of: dict[str, int],
) -> bool:
    pairs = []
    for levels, arm in arms.items():
        if (factor.key, level.key) in levels:
            twin = arms.get(tuple(sorted({**dict(levels), factor.key: other.key}.items())))
            pairs += [(arm, twin)] if twin is not None else []
    return bool(pairs) and all(arm in group_of and group_of[arm] == group_of.get(twin) for arm, twin in pairs)


def _of_variable(factor: int, level: int, name: str) -> DefinitionProblem:
    message = say(
        "nothing uses {name}: write {expression} where it belongs, such as in nginx.server, or remove the variable",
        name=name,
        expression=f"{{{{ {name} }}}}",
    )
    return DefinitionProblem(field=f"factors.{factor}.levels.{level}.variables.{name}", message=message)


def _of_level(i: int, factor: Factor, first: int, second: int) -> DefinitionProblem:
    one, other = factor.levels[first].key, factor.levels[second].key
    message = say(
        "{other} sets something else than {one}, but configuration and load are the same: change what it sets, or "
        "remove it; to compare {one} with itself (A/A), give both the same variables",
        one=one,
        other=other,
    )
    return DefinitionProblem(field=f"factors.{i}.levels.{second}", message=message)


def _of_arms(definition: Definition, group: Sequence[str]) -> DefinitionProblem:
    is_everything = len(group) == len(definition.arms)
    rest = (
        say("a run shows how much an arm differs from itself (A/A), and nothing else")
        if is_everything
        else say("what a run finds between them is noise; switch off all but one of them, unless that is what you want")
    )
    message = say("arms {arms} are the same, configuration and load: {rest}", arms=some_of(group, _MANY), rest=rest)
    return DefinitionProblem(field="factors" if is_everything else "design", message=message)


def identical_arms(definition: Definition) -> Sequence[str]:
    """The largest group of two arms or more whose rendered configuration, load and perturbations are the same.

    Of groups of one size, the one with the baseline, else the first; empty if all arms differ. Raises DefinitionError.
    """
    groups = groups_of_identical_arms(definition)
    return max(groups, key=lambda group: (len(group), definition.baseline in group), default=[])


def groups_of_identical_arms(definition: Definition) -> list[list[str]]:
    """Every group of two arms or more that are the same, in the order of the arms. Raises DefinitionError."""
    groups: dict[str, list[str]] = {}
    for arm in definition.arms:
        groups.setdefault(_text(_rendered(definition, arm)), []).append(arm.key)
    return [group for group in groups.values() if len(group) > 1]


def load_key(definition: Definition) -> str:
    """What the baseline's streams, perturbations and upstream servers do, and for how long: a hash. Equal loads have
    equal noise, whatever nginx is told. Raises DefinitionError."""
    arm = resolve(definition, definition.arm(definition.baseline))
    plan = definition.plan
    return hashlib.sha256(_text([_load(arm), plan.warmup_s, plan.measure_s]).encode()).hexdigest()


def _rendered(definition: Definition, arm: ArmDefinition) -> list[Any]:
    resolved = resolve(definition, arm)
    nginx = resolved.nginx.model_dump(mode="json")
    groups = upstream_spec(resolved)
    upstream_servers = [render_upstream_server(definition, one, arm) for one in definition.upstream_servers]
    # The fragments' sources are the same in all arms; what they became is in the rendered text.
    dynamic = groups.model_dump(mode="json") if groups is not None else None
    nginx["certificate_key"] = resolved.certificate_key
    return [definition.build(arm), render(definition, arm), upstream_servers, nginx, dynamic, _load(resolved)]


def _load(arm: ResolvedArm) -> list[Any]:
    parts = [*arm.streams, *arm.perturbations, *arm.upstream_servers]
    return [part.model_dump(mode="json") for part in parts]


def _text(content: Any) -> str:
    return json.dumps(content, sort_keys=True)
