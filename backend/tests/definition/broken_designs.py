"""Designs that make no sense: factors, levels, combinations and the arms chosen from them."""

from collections.abc import Callable, Iterator
from typing import Any

from definition.breaking import Broken, broken, change
from definition.definitions import sound


def broken_designs() -> Iterator[Broken]:
    yield from _keys_and_names()
    yield from _too_many_arms()
    yield from _chosen_arms()


def _keys_and_names() -> Iterator[Broken]:
    yield broken("factors.1.key", "aio", "already used by factors.0")
    yield broken("factors.0.levels.1.key", "off", "already used by factors.0.levels.0")
    yield broken("streams.1.key", "constant", "already used by streams.0")
    yield broken(
        "upstream_servers.1",
        {"key": "app", "slot": "x", "server": ""},
        "already used by upstream_servers.0",
        "upstream_servers.1.key",
    )
    files = {"folder": "data", "count": 1, "size_bytes": 1}
    yield broken("nginx.files.1", files, "already used by nginx.files.0", "nginx.files.1.folder")
    yield broken("factors.1.levels.0.variables.aio", "x", "also set by factor aio")
    yield broken("factors.0.levels.0.variables.upstream", "x", "reserved word")
    yield broken("factors.0.levels.0.variables.Aio", "x", "must be a name")
    yield broken("baseline", "off.none", "off.low")
    yield broken("baseline", "off.top", "not one of the arms")
    yield broken("baseline", "threads.top", "not one of the arms")
    yield broken("design.off.0", "nobody", "no combination")
    yield broken("design.exclude.0.when", {"disk": ["x"]}, "no factor 'disk'", "design.exclude.0.when.disk")
    yield broken("design.exclude.0.when", {"aio": ["maybe"]}, "no level 'maybe'", "design.exclude.0.when.aio")
    yield broken("design.exclude.0.when", {"aio": ["off", "threads"]}, "leaves no arm", "design")
    yield broken("design", {"kind": "guess"}, "must be one of", "design.kind")
    yield broken("design", {"off": []}, "must have a kind", "design.kind")


def _too_many_arms() -> Iterator[Broken]:
    many = [{"key": f"l{i}", "label": "x", "variables": {"connections": 10}} for i in range(50)]
    raw = change("factors.1.levels", many)
    raw["factors"][0]["levels"] = [{"key": f"k{i}", "label": "x", "variables": {"aio": "on"}} for i in range(10)]
    yield Broken("500 arms", raw | {"baseline": "k0.l0", "design": {"kind": "matrix"}}, "design", "500 arms")
    crowd = [
        {"key": f"f{i}", "label": "x", "levels": [{"key": f"l{j}", "label": "x"} for j in range(50)]} for i in range(9)
    ]
    yield broken("factors", crowd, "combinations")


def _chosen_arms() -> Iterator[Broken]:
    arms: dict[str, Callable[[dict[str, str]], dict[str, Any]]] = {
        "arm": lambda levels: {"key": "a", "label": "a", "levels": levels},
        "other": lambda levels: {"key": "b", "label": "b", "levels": levels},
    }
    both = {"aio": "off", "load": "low"}
    for name, chosen, field, said in (
        ("unknown factor", [arms["arm"]({**both, "disk": "x"})], "design.arms.0.levels.disk", "no factor"),
        ("unknown level", [arms["arm"]({**both, "aio": "x"})], "design.arms.0.levels.aio", "no level"),
        ("missing factor", [arms["arm"]({"aio": "off"})], "design.arms.0.levels", "needs a level of factor load"),
        ("twice", [arms["arm"](both), arms["other"](both)], "design.arms.1.levels", "same combination"),
        ("key twice", [arms["arm"](both), arms["arm"]({**both, "load": "high"})], "design.arms.1.key", "already used"),
        ("no arms", [], "design.arms", "at least 1"),
        ("baseline elsewhere", [arms["other"](both)], "baseline", "not one of the arms that run: b"),
    ):
        raw = sound() | {"design": {"kind": "chosen", "arms": chosen}, "baseline": "a"}
        yield Broken(f"chosen arms: {name}", raw, field, said)
