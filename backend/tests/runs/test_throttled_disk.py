"""A run whose target cannot throttle a disk is refused with the reason, and only where that is asked for."""

from typing import Any

import pytest
from definition.definitions import sound
from harness import inventory
from ngxlab.core.errors import Conflict
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.definition.validation import require
from ngxlab.hosts.models import Host
from ngxlab.runs.preflight.assignment import Assigned
from ngxlab.runs.preflight.refusal import refuse_if_impossible
from ngxlab_contracts.hosts import Capability
from ngxlab_contracts.protocol import CURRENT


def cold(**how: Any) -> Definition:
    raw = sound()
    raw["nginx"]["files"][0]["cold"] = True
    raw["nginx"]["cold_files"] = how
    raw["placement"] = "none"
    return require(raw)


def hosts(definition: Definition, *capabilities: Capability) -> list[Assigned]:
    def of(slot: str) -> Assigned:
        known = inventory()
        extra = list(capabilities) if slot == TARGET_SLOT else []
        changed = known.model_copy(update={"capabilities": [*known.capabilities, *extra]})
        return Assigned(slot, Host(name=slot, agent_version="0.1.0", protocol=str(CURRENT)), changed, "127.0.0.1")

    return [of(slot) for slot in definition.slots]


def test_throttling_needs_a_target_that_can() -> None:
    definition = cold(method="throttle", read_bytes_per_s=1 << 20)
    with pytest.raises(Conflict, match="its agent is too old for it"):
        refuse_if_impossible(definition, hosts(definition))
    missing = Capability(name="throttled-disk", available=False, detail="the agent is not root")
    with pytest.raises(Conflict, match="the agent is not root"):
        refuse_if_impossible(definition, hosts(definition, missing))
    there = Capability(name="throttled-disk", available=True, detail="works")
    refuse_if_impossible(definition, hosts(definition, there))


def test_eviction_needs_nothing() -> None:
    definition = cold(method="evict")
    refuse_if_impossible(definition, hosts(definition))
