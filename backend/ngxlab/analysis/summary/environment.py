"""What the trial ran on, as a flat fingerprint that can be compared, and directives of its configuration."""

import re

from ngxlab_contracts.hosts import Inventory, NginxBinary

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import NginxBuild

_COMMENT = re.compile(r"(?m)(^|\s)#.*$")


def environment(record: TrialRecord) -> dict[str, str]:
    """Keys are ``kernel``, ``nginx``, ``setting vm.swappiness`` …; the host's name leads if there are several hosts."""
    facts: dict[str, str] = {}
    for host in record.hosts:
        if host.inventory is not None:
            prefix = f"{record.labels[host.host_id]}: " if len(record.hosts) > 1 else ""
            facts |= {prefix + key: value for key, value in _facts(host, host.inventory).items()}
    return facts


def directive_values(config: str, name: str) -> list[str]:
    """The arguments of every occurrence of a simple directive, in order, without comments."""
    bare = _COMMENT.sub(" ", config)
    values = re.findall(rf"(?:^|[\s;{{}}]){re.escape(name)}\s+([^;{{}}]+);", bare)
    return [" ".join(value.split()) for value in values]


def closes_after_each(config: str) -> bool:
    """Whether nginx closes every connection after one request: by ``keepalive_timeout 0`` or ``keepalive_requests``
    of at most 1 wherever it says anything about them."""
    timeouts, requests = directive_values(config, "keepalive_timeout"), directive_values(config, "keepalive_requests")
    return _all_in(timeouts, {"0", "0s", "0ms"}) or _all_in(requests, {"0", "1"})


def _all_in(values: list[str], closing: set[str]) -> bool:
    return bool(values) and all(value.split()[0] in closing for value in values)


def _facts(host: HostRecord, inventory: Inventory) -> dict[str, str]:
    facts = {
        "boot": inventory.boot_id,
        "kernel": inventory.kernel,
        "os": inventory.os,
        "cpu": f"{inventory.cpu.model}, {inventory.cpu.logical} logical",
        "memory": f"{inventory.memory_bytes} bytes",
        "agent": inventory.agent_version,
    }
    if inventory.cpu.governor is not None:
        facts["cpu governor"] = inventory.cpu.governor
    if host.spec.nginx is not None:
        facts |= _binary(inventory, "nginx", host.spec.nginx.binary)
    for upstream in host.spec.upstream_servers:
        facts |= _binary(inventory, f"upstream server {upstream.key}", upstream.binary)
    for name, program in inventory.engine_programs.items():
        facts[name] = f"{program.version} (sha256 {program.sha256[:16]})"
    facts |= {f"limit {name}": value for name, value in inventory.limits.items()}
    facts |= {f"setting {name}": value for name, value in inventory.settings.items()}
    return facts


def nginx_build(host: HostRecord) -> NginxBuild | None:
    """The nginx that the host's trial ran."""
    binary = _registered(host.inventory, host.nginx.binary) if host.inventory is not None else None
    return None if binary is None else NginxBuild(path=binary.path, version=binary.version, sha256=binary.sha256)


def _binary(inventory: Inventory, key: str, path: str) -> dict[str, str]:
    binary = _registered(inventory, path)
    return {key: f"{binary.version} (sha256 {binary.sha256[:16]})"} if binary is not None else {}


def _registered(inventory: Inventory, path: str) -> NginxBinary | None:
    return next((nginx for nginx in inventory.nginx if nginx.path == path), None)
