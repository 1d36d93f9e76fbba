"""The load engines by the name that a stream gives, one line each, and what all of them need of this host."""

from collections.abc import Iterable

from ngxlab_contracts.engines import EngineName
from ngxlab_contracts.hosts import Capability

from ngxlab_worker.engines.base import Engine, EngineInventory
from ngxlab_worker.engines.idle_hold import IdleHoldEngine
from ngxlab_worker.engines.open_loop import OpenLoopEngine
from ngxlab_worker.engines.wrk import WrkEngine

ENGINES: dict[EngineName, Engine] = {"wrk": WrkEngine(), "open-loop": OpenLoopEngine(), "idle-hold": IdleHoldEngine()}


def engines_inventory(engines: Iterable[Engine] = tuple(ENGINES.values())) -> EngineInventory:
    """What ``engines`` need of this host, each capability once."""
    inventories = [engine.inventory() for engine in engines]
    by_name: dict[str, list[Capability]] = {}
    for inventory in inventories:
        for capability in inventory.capabilities:
            by_name.setdefault(capability.name, []).append(capability)
    wrk = next((inventory.wrk for inventory in inventories if inventory.wrk is not None), None)
    return EngineInventory(tuple(_merged(entries) for entries in by_name.values()), wrk)


def _merged(entries: list[Capability]) -> Capability:
    missing = [entry for entry in entries if not entry.available]
    details = dict.fromkeys(entry.detail for entry in missing or entries)
    return Capability(name=entries[0].name, available=not missing, detail="; ".join(details))
