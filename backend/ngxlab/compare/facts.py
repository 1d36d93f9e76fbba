"""What the set-up of an arm was, as far as it is recorded: each fact by a key, as text that can be compared."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ngxlab_contracts.hosts import Inventory

from ngxlab.compare.loaded import LoadedRun
from ngxlab.core.stored import read_or_none
from ngxlab.definition.fragments import DefinitionError
from ngxlab.definition.loads import Shape, shape_of
from ngxlab.definition.nginx.config import render
from ngxlab.definition.resolve import ResolvedArm, resolve
from ngxlab.definition.schema.definition import TARGET_SLOT
from ngxlab.runs.calibration.fingerprint import facts as machine_facts


class Fact(NamedTuple):
    title: str
    value: str


class Setup(NamedTuple):
    """Of one arm of one run. ``config``: its nginx.conf. ``unreadable``: why there is neither it nor a load."""

    facts: Mapping[str, Fact]
    config: str
    shape: Shape
    unreadable: str | None = None


def setup_of(loaded: LoadedRun, arm: str) -> Setup:
    found = {**dict(_environment(loaded)), **dict(_build(loaded, arm))}
    try:
        defined = loaded.definition.arm(arm)
        resolved, config = resolve(loaded.definition, defined), render(loaded.definition, defined)
    except DefinitionError as error:
        return Setup(found, "", (), f"its configuration cannot be rendered any more: {error}")
    found |= dict(_defined(loaded, resolved, config))
    return Setup(found, config, shape_of(resolved.streams))


def _defined(loaded: LoadedRun, resolved: ResolvedArm, config: str) -> Iterator[tuple[str, Fact]]:
    plan = loaded.definition.plan
    yield "configuration", Fact("nginx configuration", f"{config.count(chr(10))} lines ({_digest(config)})")
    yield "requests", Fact("Requests", _named([stream.model_dump(mode="json") for stream in resolved.streams]))
    upstream = [one.model_dump(mode="json") for one in resolved.upstream_servers]
    yield "upstream_servers", Fact("Upstream servers", _named(upstream))
    perturbations = [one.model_dump(mode="json") for one in resolved.perturbations]
    yield "perturbations", Fact("Perturbations", _named(perturbations))
    window = loaded.analysis.chosen_window or f"{plan.measure_s:g} s after {plan.warmup_s:g} s of warm-up"
    yield "window", Fact("Measured window", window)
    placement = loaded.definition.placement
    yield "placement", Fact("CPU placement", placement if isinstance(placement, str) else json.dumps(placement))


def _named(parts: Sequence[dict[str, Any]]) -> str:
    """Their keys, and a digest of all that they say."""
    if not parts:
        return "none"
    return f"{', '.join(str(part['key']) for part in parts)} ({_digest(json.dumps(parts, sort_keys=True))})"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _build(loaded: LoadedRun, arm: str) -> Iterator[tuple[str, Fact]]:
    build = next((one.nginx_build for one in loaded.analysis.arms if one.key == arm), None)
    if build is not None:
        yield "nginx", Fact("nginx", f"{build.version} (sha256 {build.sha256[:12]})")


_READ: Mapping[str, tuple[str, Callable[[Inventory], str | None]]] = {
    "cpu": ("CPU", lambda host: machine_facts(host).get("CPU")),
    "memory": ("Memory", lambda host: machine_facts(host).get("memory")),
    "kernel": ("Kernel", lambda host: host.kernel),
    "os": ("Operating system", lambda host: host.os),
    "governor": ("CPU governor", lambda host: host.cpu.governor),
    "wrk": ("wrk", lambda host: machine_facts(host).get("wrk")),
    "agent": ("ngxlab agent", lambda host: host.agent_version),
}


def _environment(loaded: LoadedRun) -> Iterator[tuple[str, Fact]]:
    run = loaded.run
    yield "host", Fact("Host", _by_slot({entry.slot: entry.host.name for entry in run.hosts}))
    read = {
        entry.slot: read_or_none(Inventory, entry.inventory, "A host's inventory of this run") for entry in run.hosts
    }
    inventories = {slot: inventory for slot, inventory in read.items() if inventory is not None}
    for key, (title, read_fact) in _READ.items():
        values = {slot: text for slot, one in inventories.items() if (text := read_fact(one)) is not None}
        if values:
            yield key, Fact(title, _by_slot(values))
    target = inventories.get(TARGET_SLOT)
    for name, text in sorted({**target.limits, **target.settings}.items()) if target is not None else ():
        yield f"setting.{name}", Fact(name, text)
    if run.started_at is not None:
        yield "day", Fact("Day", f"{run.started_at:%Y-%m-%d}")


def _by_slot(values: Mapping[str, str]) -> str:
    """One value where all slots have the same."""
    distinct = set(values.values())
    return (
        distinct.pop() if len(distinct) == 1 else "; ".join(f"{slot}: {text}" for slot, text in sorted(values.items()))
    )
