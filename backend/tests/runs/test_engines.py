"""A run whose host lacks a load engine is refused with what to do about it."""

from typing import Any

import pytest
from definition.definitions import sound
from harness import inventory
from ngxlab.core.errors import Conflict
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.validation import require
from ngxlab.hosts.models import Host
from ngxlab.runs.preflight.assignment import Assigned
from ngxlab.runs.preflight.refusal import refuse_missing_engines
from ngxlab_contracts.engines import NATIVE_ENGINES
from ngxlab_contracts.hosts import Capability


def host(slot: str, **changes: Any) -> Assigned:
    return Assigned(slot, Host(name="den"), inventory(**changes), "127.0.0.1")


def with_open_loop() -> Definition:
    raw = sound()
    first, *others = raw["streams"]
    rates = {"steps": [{"per_s": 100, "duration_s": 1}]}
    own = {"key": first["key"], "slot": first["slot"], "engine": "open-loop", "connections": 10, "open_loop": rates}
    return require(raw | {"streams": [own, *others]})


def test_wrk_and_our_own_engines_are_asked_for_where_they_run() -> None:
    plain, own = require(sound()), with_open_loop()
    slot = plain.streams[0].slot
    refuse_missing_engines(plain, host(slot))
    refuse_missing_engines(own, host(slot, wrk=None))
    refuse_missing_engines(plain, host("elsewhere", wrk=None, capabilities=[]))
    with pytest.raises(Conflict, match="den has no wrk"):
        refuse_missing_engines(plain, host(slot, wrk=None))
    with pytest.raises(Conflict, match="its agent is too old"):
        refuse_missing_engines(own, host(slot, capabilities=[]))
    missing = Capability(name=NATIVE_ENGINES, available=False, detail="run make setup")
    with pytest.raises(Conflict, match="run make setup"):
        refuse_missing_engines(own, host(slot, capabilities=[missing]))
