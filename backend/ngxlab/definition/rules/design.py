"""Rules for factors, design and baseline together."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from ngxlab_contracts.sentences import say

from ngxlab.definition.problems import Messages, Sections, some_of, unknown
from ngxlab.definition.schema.factors import (
    MAX_ARMS,
    ChosenDesign,
    Factor,
    MatrixDesign,
    arms_of,
    matrix,
)

MAX_COMBINATIONS = 2000
"""The bound of a matrix before exclusions: more could neither be shown nor run."""
_RESERVED_VARIABLES = frozenset({"servers", "upstream"})
_MANY = 20


def problems(raw: Mapping[str, Any], sections: Sections) -> Messages:
    yield from _duplicates(raw)
    if sections.factors is not None:
        yield from _variables(sections.factors)
        yield from _builds(sections.factors, sections.slots or ())
        if sections.design is not None:
            yield from _design(sections.factors, sections.design, sections.baseline)


def is_countable(factors: Sequence[Factor]) -> bool:
    """Whether the matrix is small enough to be listed."""
    return prod(len(factor.levels) for factor in factors) <= MAX_COMBINATIONS


def _duplicates(raw: Mapping[str, Any]) -> Messages:
    """Reads the raw object, so that a problem elsewhere in the same list hides nothing."""
    for name in ("factors", "streams", "upstream_servers", "perturbations"):
        yield from _duplicate_keys(name, raw.get(name), "key")
    for i, factor in enumerate(_list(raw.get("factors"))):
        if isinstance(factor, dict):
            yield from _duplicate_keys(f"factors.{i}.levels", factor.get("levels"), "key")
    design, nginx = raw.get("design"), raw.get("nginx")
    if isinstance(design, dict):
        yield from _duplicate_keys("design.arms", design.get("arms"), "key")
    if isinstance(nginx, dict):
        yield from _duplicate_keys("nginx.files", nginx.get("files"), "folder")
        upstreams = nginx.get("upstreams")
        if isinstance(upstreams, dict):
            yield from _duplicate_keys("nginx.upstreams.groups", upstreams.get("groups"), "key")


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _duplicate_keys(path: str, items: object, name: str) -> Messages:
    first: dict[str, int] = {}
    for i, item in enumerate(_list(items)):
        key = item.get(name) if isinstance(item, dict) else None
        if isinstance(key, str) and first.setdefault(key, i) != i:
            yield (
                f"{path}.{i}.{name}",
                say(
                    "{key} is already used by {other}; each needs its own {name}",
                    key=repr(key),
                    other=f"{path}.{first[key]}",
                    name=name,
                ),
            )


def _builds(factors: Sequence[Factor], slots: Sequence[str]) -> Messages:
    """An arm runs one nginx, so only one factor may say which. A run chooses binaries for slots and for builds by name,
    so these differ."""
    naming = [(i, factor) for i, factor in enumerate(factors) if any(level.build for level in factor.levels)]
    for i, factor in naming[1:]:
        for j, level in enumerate(factor.levels):
            if level.build is not None:
                message = say("factor {factor} already says which nginx an arm runs", factor=naming[0][1].key)
                yield f"factors.{i}.levels.{j}.build", message
    for i, factor in enumerate(factors):
        for j, level in enumerate(factor.levels):
            if level.build is not None and level.build in slots:
                message = say("{name} is the name of a slot; choose another name", name=level.build)
                yield f"factors.{i}.levels.{j}.build", message


def _variables(factors: Sequence[Factor]) -> Messages:
    owner: dict[str, str] = {}
    for i, factor in enumerate(factors):
        for j, level in enumerate(factor.levels):
            for name in level.variables:
                field = f"factors.{i}.levels.{j}.variables.{name}"
                if name in _RESERVED_VARIABLES:
                    yield field, say("{name} is a reserved word in templates; choose another name", name=name)
                elif owner.setdefault(name, factor.key) != factor.key:
                    yield (
                        field,
                        say(
                            "{name} is also set by factor {factor}; rename or remove one of them",
                            name=name,
                            factor=owner[name],
                        ),
                    )


def _design(factors: Sequence[Factor], design: MatrixDesign | ChosenDesign, baseline: str | None) -> Messages:
    if isinstance(design, ChosenDesign):
        yield from _chosen(factors, design)
    elif not is_countable(factors):
        number = prod(len(factor.levels) for factor in factors)
        yield (
            "factors",
            say(
                "give {number:,} combinations; at most {shown} can be shown, {run} can run",
                number=number,
                shown=MAX_COMBINATIONS,
                run=MAX_ARMS,
            ),
        )
        return
    else:
        yield from _matrix(factors, design)
    arms = arms_of(factors, design)
    if not arms:
        yield "design", say("leaves no arm to run: every combination is excluded or switched off")
    elif len(arms) > MAX_ARMS:
        yield "design", say("makes {number} arms; at most {most} can run", number=len(arms), most=MAX_ARMS)
    elif baseline is not None and baseline not in {arm.key for arm in arms}:
        message = say(
            "{baseline} is not one of the arms that run: {arms}",
            baseline=repr(baseline),
            arms=some_of([arm.key for arm in arms], _MANY),
        )
        yield "baseline", message


def _levels(factors: Sequence[Factor]) -> dict[str, list[str]]:
    return {factor.key: [level.key for level in factor.levels] for factor in factors}


def _unknown(field: str, factor: str, named: Sequence[str], levels: Mapping[str, list[str]]) -> Messages:
    """Levels of a factor that are named and not there."""
    if factor not in levels:
        yield field, unknown("factor", factor, levels)
        return
    for level in named:
        if level not in levels[factor]:
            yield (
                field,
                say(
                    "factor {factor} has no level {level}; it has {levels}",
                    factor=factor,
                    level=repr(level),
                    levels=", ".join(levels[factor]),
                ),
            )


def _matrix(factors: Sequence[Factor], design: MatrixDesign) -> Messages:
    levels = _levels(factors)
    for i, exclusion in enumerate(design.exclude):
        for factor, named in exclusion.when.items():
            yield from _unknown(f"design.exclude.{i}.when.{factor}", factor, named, levels)
    keys = {arm.key for arm in matrix(factors)}
    for i, key in enumerate(design.off):
        if key not in keys:
            yield f"design.off.{i}", say("there is no combination {key}", key=repr(key))


def _chosen(factors: Sequence[Factor], design: ChosenDesign) -> Messages:
    levels = _levels(factors)
    first: dict[tuple[tuple[str, str], ...], int] = {}
    for i, arm in enumerate(design.arms):
        for factor, level in arm.levels.items():
            yield from _unknown(f"design.arms.{i}.levels.{factor}", factor, [level], levels)
        for factor in levels.keys() - arm.levels.keys():
            message = say("needs a level of factor {factor}: {levels}", factor=factor, levels=", ".join(levels[factor]))
            yield f"design.arms.{i}.levels", message
        combination = tuple(sorted(arm.levels.items()))
        if first.setdefault(combination, i) != i:
            message = say("is the same combination as {other}", other=f"design.arms.{first[combination]}")
            yield f"design.arms.{i}.levels", message
