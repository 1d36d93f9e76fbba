"""Differences between the set-ups of compared arms: what is asked about, and what else may explain a difference."""

import difflib
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.sentences import Sentence, say

from ngxlab.compare.schemas import Difference, SetupDiff
from ngxlab.compare.selection import LoadedRun
from ngxlab.core.stored_json import read_or_none
from ngxlab.definition.fragments import DefinitionError
from ngxlab.definition.loads import Shape, shape_of
from ngxlab.definition.nginx.config import render
from ngxlab.definition.resolve import ResolvedArm, resolve
from ngxlab.definition.schema.definition import TARGET_SLOT
from ngxlab.definition.yaml import documents
from ngxlab.runs.calibration.service import facts as machine_facts


class Fact(NamedTuple):
    title: Sentence
    value: Sentence


def _fact(title: Sentence, value: str) -> Fact:
    """A value that is no sentence is a name or a number, alike in all languages."""
    return Fact(title, value if isinstance(value, Sentence) else Sentence(value))


class Setup(NamedTuple):
    """The set-up of an arm of a run. ``config``: its nginx.conf. ``unreadable``: why there is neither it nor a load."""

    facts: Mapping[str, Fact]
    config: str
    shape: Shape
    unreadable: Sentence | None = None


def setup_of(loaded: LoadedRun, arm: str) -> Setup:
    found = {**dict(_environment(loaded)), **dict(_build(loaded, arm))}
    try:
        defined = loaded.definition.arm(arm)
        resolved, config = resolve(loaded.definition, defined), render(loaded.definition, defined)
    except DefinitionError as error:
        return Setup(found, "", (), say("its configuration cannot be rendered any more: {error}", error=str(error)))
    found |= dict(_defined(loaded, resolved, config))
    return Setup(found, config, shape_of(resolved.streams))


def _defined(loaded: LoadedRun, resolved: ResolvedArm, config: str) -> Iterator[tuple[str, Fact]]:
    plan = loaded.definition.plan
    lines = say("{lines} lines ({digest})", lines=config.count("\n"), digest=_digest(config))
    yield "configuration", _fact(say("nginx configuration"), lines)
    yield "requests", _fact(say("Requests"), _named([stream.model_dump(mode="json") for stream in resolved.streams]))
    upstream = [one.model_dump(mode="json") for one in resolved.upstream_servers]
    yield "upstream_servers", _fact(say("Upstream servers"), _named(upstream))
    perturbations = [one.model_dump(mode="json") for one in resolved.perturbations]
    yield "perturbations", _fact(say("Perturbations"), _named(perturbations))
    planned = say("{measure:g} s after {warmup:g} s of warm-up", measure=plan.measure_s, warmup=plan.warmup_s)
    yield "window", _fact(say("Measured window"), loaded.analysis.chosen_window or planned)
    placement = loaded.definition.placement
    yield "placement", _fact(say("CPU placement"), placement if isinstance(placement, str) else json.dumps(placement))


def _named(parts: Sequence[dict[str, Any]]) -> str:
    """Their keys, and a digest of all that they say."""
    if not parts:
        return say("none")
    return f"{', '.join(str(part['key']) for part in parts)} ({_digest(json.dumps(parts, sort_keys=True))})"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _build(loaded: LoadedRun, arm: str) -> Iterator[tuple[str, Fact]]:
    build = next((one.nginx_build for one in loaded.analysis.arms if one.key == arm), None)
    if build is not None:
        yield "nginx", _fact(say("nginx"), f"{build.version} (sha256 {build.sha256[:12]})")


_READ: Mapping[str, tuple[Sentence, Callable[[Inventory], str | None]]] = {
    "cpu": (say("CPU"), lambda host: machine_facts(host).get("CPU")),
    "memory": (say("Memory"), lambda host: machine_facts(host).get("memory")),
    "kernel": (say("Kernel"), lambda host: host.kernel),
    "os": (say("Operating system"), lambda host: host.os),
    "governor": (say("CPU governor"), lambda host: host.cpu.governor),
    "wrk": (say("wrk"), lambda host: machine_facts(host).get("wrk")),
    "agent": (say("ngxlab agent"), lambda host: host.agent_version),
}


def _environment(loaded: LoadedRun) -> Iterator[tuple[str, Fact]]:
    run = loaded.run
    yield "host", _fact(say("Host"), _by_slot({entry.slot: entry.host.name for entry in run.hosts}))
    read = {
        entry.slot: read_or_none(Inventory, entry.inventory, "A host's inventory of this run") for entry in run.hosts
    }
    inventories = {slot: inventory for slot, inventory in read.items() if inventory is not None}
    for key, (title, read_fact) in _READ.items():
        values = {slot: text for slot, one in inventories.items() if (text := read_fact(one)) is not None}
        if values:
            yield key, _fact(title, _by_slot(values))
    target = inventories.get(TARGET_SLOT)
    for name, text in sorted({**target.limits, **target.settings}.items()) if target is not None else ():
        yield f"setting.{name}", _fact(Sentence(name), text)
    if run.started_at is not None:
        yield "day", _fact(say("Day"), f"{run.started_at:%Y-%m-%d}")


def _by_slot(values: Mapping[str, str]) -> str:
    """One value where all slots have the same."""
    distinct = set(values.values())
    return (
        distinct.pop() if len(distinct) == 1 else "; ".join(f"{slot}: {text}" for slot, text in sorted(values.items()))
    )


_LIKELY = ("configuration", "nginx", "host", "kernel", "wrk", "governor")
"""What a comparison is most probably about: the first of these that differs."""
_WITH = {"host": frozenset({"cpu", "memory", "governor"})}
"""Another host is other hardware."""

Pairs = Sequence[tuple[str, str]]
"""Keys of arms that are compared, each with what it is compared with."""


def differences(setups: Mapping[str, Setup], pairs: Pairs, factors: Sequence[str]) -> list[Difference]:
    """The factors first. ``factors``: keys of what the reader asks about; without any, what is most likely."""
    differing = list(dict.fromkeys(key for own, base in pairs for key in differing_keys(setups[own], setups[base])))
    chosen = set(factors) or _likely(differing)
    chosen |= {key for factor in chosen for key in _WITH.get(factor, ())}
    compared = list(dict.fromkeys(key for pair in pairs for key in reversed(pair)))
    found = [
        Difference(
            key=key,
            title=next(setups[arm].facts[key].title for arm in compared if key in setups[arm].facts),
            role="factor" if key in chosen else "confounder",
            values={arm: setups[arm].facts[key].value for arm in compared if key in setups[arm].facts},
        )
        for key in differing
    ]
    return sorted(found, key=lambda one: one.role != "factor")


def _likely(differing: Sequence[str]) -> set[str]:
    return {next((key for key in _LIKELY if key in differing), "")}


def differing_keys(own: Setup, base: Setup) -> list[str]:
    keys = list(dict.fromkeys([*base.facts, *own.facts]))
    return [key for key in keys if own.facts.get(key) != base.facts.get(key)]


def beside(own: Setup, base: Setup, found: Sequence[Difference]) -> list[Sentence]:
    """Titles of confounders in which these two differ."""
    differing = set(differing_keys(own, base))
    return [one.title for one in found if one.role == "confounder" and one.key in differing]


def diffs(
    runs: Sequence[LoadedRun], setups: Mapping[str, Setup], labels: Mapping[str, str], pairs: Pairs
) -> list[SetupDiff]:
    """Diffs of definitions against that of the first run, and of each pair's configurations; equal diffs once."""
    return [*_definitions(runs), *_configurations(setups, labels, pairs)]


def _definitions(runs: Sequence[LoadedRun]) -> Iterator[SetupDiff]:
    first = runs[0]
    for other in runs[1:]:
        if other.run.experiment_version_id == first.run.experiment_version_id:
            continue
        texts = [documents.to_yaml(one.definition, None) for one in (first, other)]
        names = [f"{one.label}, version {one.run.version.number}" for one in (first, other)]
        if (text := _diff(texts, names)) != "":
            yield SetupDiff(what="definition", before=names[0], after=names[1], text=text)


def _configurations(setups: Mapping[str, Setup], labels: Mapping[str, str], pairs: Pairs) -> Iterator[SetupDiff]:
    seen: set[tuple[str, str]] = set()
    for own, base in pairs:
        texts = (setups[base].config, setups[own].config)
        if texts[0] == texts[1] or texts in seen or "" in texts:
            continue
        seen.add(texts)
        names = [labels[base], labels[own]]
        yield SetupDiff(what="configuration", before=names[0], after=names[1], text=_diff(texts, names))


def _diff(texts: Sequence[str], names: Sequence[str]) -> str:
    before, after = (text.splitlines(keepends=True) for text in texts)
    return "".join(difflib.unified_diff(before, after, fromfile=names[0], tofile=names[1]))
