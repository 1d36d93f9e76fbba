"""A run whose host lacks a load engine is refused with what to do about it."""

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from definition.definitions import sound
from harness import inventory
from ngxlab.core.errors import Conflict
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.definition.validation import require
from ngxlab.hosts.models import Host
from ngxlab.runs.preflight.assignment import Assigned
from ngxlab.runs.preflight.refusal import (
    refuse_builds_without_http3,
    refuse_missing_engines,
    refuse_missing_groups,
    refuse_unspoken_versions,
)
from ngxlab_contracts.engines import CAPABILITY_FOR, CAPABILITY_FOR_HYBRID, HYBRID_GROUP, NATIVE_ENGINES
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


def test_http2_is_asked_for_where_a_stream_speaks_it_in_some_arm() -> None:
    plain = with_open_loop()
    raw = plain.model_dump(mode="json")
    raw["nginx"]["listen_options"] = "http2"
    raw["nginx"]["tls"] = True
    raw["factors"][0]["levels"][0]["variables"]["protocol"] = "http/2"
    raw["factors"][0]["levels"][1]["variables"]["protocol"] = "http/1.1"
    raw["streams"][0]["protocol"] = "{{ protocol }}"
    spoken = Definition.model_validate(raw)
    slot, name = plain.streams[0].slot, CAPABILITY_FOR["http/2"]

    def refuse(definition: Definition, where: str, *capabilities: Capability) -> None:
        arms = [resolve(definition, arm) for arm in definition.arms]
        refuse_unspoken_versions(definition, host(where, capabilities=list(capabilities)), arms)

    refuse(plain, slot)
    refuse(spoken, "elsewhere")
    refuse(spoken, slot, Capability(name=name, available=True, detail="libnghttp2"))
    with pytest.raises(Conflict, match=r"speaks HTTP/2, which den cannot: its agent is too old for it\."):
        refuse(spoken, slot)
    with pytest.raises(Conflict, match=r"install the package libnghttp2-14\."):
        refuse(spoken, slot, Capability(name=name, available=False, detail="install the package libnghttp2-14"))


def test_a_build_without_http3_is_refused_where_an_arm_offers_it() -> None:
    raw = with_open_loop().model_dump(mode="json")
    raw["nginx"] |= {"listen_options": "{{ options }}", "tls": True}
    for level, options in zip(raw["factors"][0]["levels"], ("reuseport", "quic"), strict=True):
        level["variables"]["options"] = options
    definition = Definition.model_validate(raw)
    arms = [resolve(definition, arm) for arm in definition.arms]
    for arguments, refused in ((["--with-http_ssl_module"], True), (["--with-http_v3_module"], False)):
        entry = host(TARGET_SLOT)
        built = entry.inventory.nginx[0].model_copy(update={"configure_arguments": arguments})
        entry = replace(entry, inventory=entry.inventory.model_copy(update={"nginx": [built]}))
        with pytest.raises(Conflict, match="without HTTP/3") if refused else nullcontext():
            refuse_builds_without_http3(definition, entry, arms)
    refuse_builds_without_http3(definition, host("elsewhere"), arms)


def test_a_hybrid_group_is_asked_for_where_a_client_agrees_on_keys_by_it() -> None:
    raw = with_open_loop().model_dump(mode="json")
    raw["nginx"]["tls"] = True
    raw["streams"][0]["tls_client"] = {"group": HYBRID_GROUP}
    definition = Definition.model_validate(raw)
    slot, arms = definition.streams[0].slot, [resolve(definition, arm) for arm in definition.arms]
    refuse_missing_groups(definition, host("elsewhere", capabilities=[]), arms)
    has = Capability(name=CAPABILITY_FOR_HYBRID, available=True, detail="X25519MLKEM768")
    refuse_missing_groups(definition, host(slot, capabilities=[has]), arms)
    lacks = Capability(name=CAPABILITY_FOR_HYBRID, available=False, detail="OpenSSL 3.0.2 lacks X25519MLKEM768")
    with pytest.raises(Conflict, match=r"X25519MLKEM768, which den cannot: OpenSSL 3\.0\.2 lacks"):
        refuse_missing_groups(definition, host(slot, capabilities=[lacks]), arms)
