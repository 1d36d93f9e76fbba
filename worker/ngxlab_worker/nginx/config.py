"""Fills the values that only this host knows into a trial's nginx.conf."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from ngxlab_contracts.trials import Endpoint, RunVariable

LOCAL = "127.0.0.1"
PLACEHOLDER = re.compile(r"@@(.*?)@@")
DAEMON = re.compile(r"^\s*daemon\s", re.MULTILINE)


class UnknownVariableError(ValueError):
    """The configuration names a run variable that this agent does not know."""


@dataclass(frozen=True)
class RunValues:
    """One value for each :data:`ngxlab_contracts.trials.RunVariable`. The status port is on :data:`LOCAL`."""

    http_ports: tuple[int, ...]
    status_port: int
    folder: Path
    address: str = LOCAL
    modules: str = ""

    @property
    def http_port(self) -> int:
        """The first, and for most the only one."""
        return self.http_ports[0]

    @property
    def pid_file(self) -> Path:
        return self.folder / "nginx.pid"

    @property
    def error_log(self) -> Path:
        return self.folder / "error.log"

    def variables(self) -> dict[str, str]:
        """As they stand in a configuration."""
        values = {name: str(getattr(self, name)) for name in get_args(RunVariable)}
        further = {f"http_port.{number}": str(port) for number, port in enumerate(self.http_ports[1:], 2)}
        return values | further | {"address": literal(self.address)}


def literal(address: str) -> str:
    """An IP address as nginx and URLs want it before a port: IPv6 in brackets."""
    return f"[{address}]" if ":" in address else address


def servers(endpoint: Endpoint) -> str:
    """The lines of an ``upstream`` block for all instances of an upstream server."""
    return " ".join(f"server {literal(endpoint.address)}:{port};" for port in endpoint.ports)


def upstreams(endpoints: Iterable[Endpoint]) -> dict[str, str]:
    """The variables ``upstream.KEY`` of a target's configuration, by the endpoints' names."""
    return {endpoint.name: servers(endpoint) for endpoint in endpoints}


def render(config: str, values: RunValues) -> str:
    """``config`` with every run variable replaced. Raises ``UnknownVariableError`` for a name not in the contract."""
    return fill(config, values.variables())


def fill(config: str, variables: Mapping[str, str]) -> str:
    """``config`` with every ``@@name@@`` replaced. Raises ``UnknownVariableError`` for a name not in ``variables``."""

    def value(found: re.Match[str]) -> str:
        if found[1] not in variables:
            known = ", ".join(name for name in variables if not name.startswith(("port.", "http_port.")))
            raise UnknownVariableError(f"nginx.conf: unknown run variable @@{found[1]}@@ (known: {known})")
        return variables[found[1]]

    return PLACEHOLDER.sub(value, config)


def sets_daemon(config: str) -> bool:
    """A second ``daemon`` directive is an error, so ours is given only where the configuration has none."""
    return DAEMON.search(config) is not None
