"""A run is refused before it starts where a host's owner does not allow it, with the cap's name."""

import copy
from collections.abc import Callable
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
from ngxlab_contracts.hosts import Capability, HostCaps, Inventory, Nic
from ngxlab_contracts.protocol import CURRENT

Change = Callable[[dict[str, Any]], None]
BROTLI = "/usr/lib/nginx/modules/ngx_http_brotli_filter_module.so"


def definition(change: Change = lambda _: None) -> Definition:
    raw = copy.deepcopy(sound())
    raw["placement"] = "none"
    change(raw)
    return require(raw)


def assigned(made: Definition, changed: Inventory, address: str = "127.0.0.1") -> list[Assigned]:
    return [
        Assigned(slot, Host(name="box", protocol=str(CURRENT), agent_version="0"), changed, address)
        for slot in made.slots
    ]


def lacking(*names: str) -> list[Capability]:
    known = [one for one in inventory().capabilities if one.name not in names]
    return [*known, *(Capability(name=name, available=False, detail="the kernel has none") for name in names)]


def scripted(raw: dict[str, Any]) -> None:
    stream = {**raw["streams"][0], "script": "x = 1"}
    raw["streams"][0] = {key: stream[key] for key in stream if key not in {"path", "paths", "method", "body"}}


def paced(raw: dict[str, Any]) -> None:
    raw["streams"][0] |= {"engine": "open-loop", "open_loop": {"rate_per_s": 500}}


def in_a_file(raw: dict[str, Any]) -> None:
    raw["nginx"] |= {
        "allow_directives": "content_by_lua_file",
        "server": "location /lua { content_by_lua_file /srv/mine/x.lua; }",
    }


MAY_RUN_CODE = HostCaps(allow_directives=["content_by_*"], code_files=["/srv/mine"])

CASES: dict[str, tuple[Change, dict[str, Any], str, str]] = {
    "rate": (paced, {"caps": HostCaps(max_rate_per_s=499)}, "beyond-caps", "planned rate of 500 a second"),
    "scripts off": (scripted, {}, "scripts-not-allowed", "does not allow scripts"),
    "no fence": (
        scripted,
        {"caps": HostCaps(allow_scripts=True), "capabilities": lacking("script-fence")},
        "scripts-uncontained",
        "which box cannot contain: the kernel has none",
    ),
    "a module": (
        lambda raw: raw["nginx"].update(main=f"load_module {BROTLI};"),
        {"caps": HostCaps(nginx_modules=["/usr/lib/other.so"])},
        "module-not-allowed",
        f"loads {BROTLI}, which the owner of box does not allow. Allowed: /usr/lib/other.so",
    ),
    "a module of one arm": (
        lambda raw: raw["nginx"].update(main="{% if connections == 40 %}load_module " + BROTLI + ";{% endif %}"),
        {},
        "module-not-allowed",
        "Allowed: none .nginx_modules in caps.toml there.",
    ),
    "a directive": (
        lambda raw: raw["nginx"].update(allow_directives="echo more_set_headers"),
        {"caps": HostCaps(allow_directives=["echo"])},
        "directive-not-allowed",
        "needs the directive more_set_headers, which the owner of box does not allow. Allowed: echo",
    ),
    "code in a file": (
        in_a_file,
        {"caps": HostCaps(allow_directives=["content_by_*"], code_files=["/etc/ngxlab/code"])},
        "code-not-allowed",
        "names /srv/mine/x.lua, which the owner of box does not allow. Allowed: /etc/ngxlab/code .code_files",
    ),
    "code without namespaces": (
        in_a_file,
        {
            "caps": MAY_RUN_CODE.model_copy(update={"allow_unsandboxed_nginx": True}),
            "capabilities": lacking("isolation"),
        },
        "unwalled-code",
        "code of content_by_lua_file would run without a wall, and the owner of box .*the kernel has none; allow_uns",
    ),
    "code without a fence": (
        in_a_file,
        {"caps": MAY_RUN_CODE, "capabilities": lacking("own-network", "script-fence")},
        "unwalled-code",
        "allow_unsandboxed_code in caps.toml there",
    ),
    "no namespaces": (
        lambda _: None,
        {"capabilities": lacking("isolation")},
        "unsandboxed",
        "allow_unsandboxed_nginx in caps.toml",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_an_owner_does_not_allow(case: str) -> None:
    change, changes, code, said = CASES[case]
    made = definition(change)
    with pytest.raises(Conflict, match=said) as refused:
        refuse_if_impossible(made, assigned(made, inventory(**changes)))
    assert refused.value.code == code


def test_an_owner_may_allow_it() -> None:
    made = definition()
    allowing = HostCaps(allow_unsandboxed_nginx=True)
    refuse_if_impossible(made, assigned(made, inventory(capabilities=lacking("isolation"), caps=allowing)))
    made = definition(paced)
    refuse_if_impossible(made, assigned(made, inventory(caps=HostCaps(max_rate_per_s=500))))
    made = definition(scripted)
    refuse_if_impossible(made, assigned(made, inventory(caps=HostCaps(allow_scripts=True))))
    made = definition(lambda raw: raw["nginx"].update(main=f"load_module {BROTLI};"))
    refuse_if_impossible(made, assigned(made, inventory(caps=HostCaps(nginx_modules=[BROTLI]))))
    made = definition(lambda raw: raw["nginx"].update(allow_directives="more_set_headers"))
    refuse_if_impossible(made, assigned(made, inventory(caps=HostCaps(allow_directives=["more_*"]))))
    made = definition(in_a_file)
    for lacks, has in (("own-network", "script-fence"), ("script-fence", "own-network")):
        walls = [*lacking(lacks), Capability(name=has, available=True, detail="it is there")]
        refuse_if_impossible(made, assigned(made, inventory(caps=MAY_RUN_CODE, capabilities=walls)))
    caps = MAY_RUN_CODE.model_copy(update={"allow_unsandboxed_nginx": True, "allow_unsandboxed_code": True})
    unwalled = lacking("isolation", "own-network", "script-fence")
    refuse_if_impossible(made, assigned(made, inventory(caps=caps, capabilities=unwalled)))


@pytest.mark.parametrize(
    ("networks", "refused"),
    [
        (None, False),
        (["10.0.0.0/24"], False),
        (["10.0.1.0/24"], True),
        ([], True),
        (["10.0.1.0/24", "10.0.0.9/32"], False),
    ],
)
def test_load_goes_where_the_generators_owner_allows(networks: list[str] | None, refused: bool) -> None:
    made = definition()
    hosts = [
        Assigned(
            slot,
            Host(name=slot, protocol=str(CURRENT), agent_version="0"),
            _at(own, networks if slot == "first" else None),
            own,
        )
        for slot, own in ((slot, "10.0.0.9" if slot == TARGET_SLOT else "10.0.0.8") for slot in made.slots)
    ]
    if not refused:
        refuse_if_impossible(made, hosts)
        return
    with pytest.raises(Conflict, match=r"first would send load to 10\.0\.0\.9, .* allow_targets") as failure:
        refuse_if_impossible(made, hosts)
    assert failure.value.code == "target-not-allowed"


def _at(address: str, networks: list[str] | None) -> Inventory:
    nic = Nic(name="eth0", addresses=[address], speed_mbps=None, mtu=1500)
    return inventory(nics=[nic], caps=HostCaps(allow_targets=networks))
