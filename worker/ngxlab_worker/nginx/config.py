"""Fills in the values of a trial's nginx.conf that only this host knows."""

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
    """The configuration has a run variable that does not exist."""


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
        """The first port, and in most trials the only one."""
        return self.http_ports[0]

    @property
    def pid_file(self) -> Path:
        return self.folder / "nginx.pid"

    @property
    def error_log(self) -> Path:
        return self.folder / "error.log"

    def variables(self) -> dict[str, str]:
        values = {name: str(getattr(self, name)) for name in get_args(RunVariable)}
        further = {f"http_port.{number}": str(port) for number, port in enumerate(self.http_ports[1:], 2)}
        return values | further | {"address": literal(self.address)}


def literal(address: str) -> str:
    """An IP address as it is written before a port: IPv6 in brackets (RFC 3986, 3.2.2)."""
    return f"[{address}]" if ":" in address else address


def upstreams(endpoints: Iterable[Endpoint]) -> dict[str, str]:
    """The run variables of upstream servers in a target's configuration, by the endpoints' names: the statements of an
    ``upstream`` block for all instances."""
    return {
        endpoint.name: " ".join(f"server {literal(endpoint.address)}:{port};" for port in endpoint.ports)
        for endpoint in endpoints
    }


def fill(config: str, variables: Mapping[str, str]) -> str:
    """``config`` with every ``@@name@@`` replaced. Raises ``UnknownVariableError`` for a name not in ``variables``."""

    def value(placeholder: re.Match[str]) -> str:
        name, _, options = placeholder[1].partition(":")
        if options and name in variables:
            return _with_options(variables[name], options.split(","))
        if name not in variables:
            known = ", ".join(known for known in variables if not known.startswith(("port.", "http_port.")))
            raise UnknownVariableError(f"nginx.conf: unknown run variable @@{name}@@ (known: {known})")
        return variables[name]

    return PLACEHOLDER.sub(value, config)


def _with_options(statements: str, options: Iterable[str]) -> str:
    """``server A; server B;`` with options behind each; ``instance=2`` keeps the second only. Raises
    ``UnknownVariableError`` where there is none."""
    of_server = [option for option in options if not option.startswith("instance=")]
    instance = next((int(option.partition("=")[2]) for option in options if option not in of_server), None)
    found = [statement.strip() for statement in statements.split(";") if statement.strip()]
    if instance is not None and instance > len(found):
        raise UnknownVariableError(f"nginx.conf: an upstream server with {len(found)} instances has no {instance}")
    chosen = found if instance is None else [found[instance - 1]]
    return " ".join(f"{' '.join([statement, *of_server])};" for statement in chosen)


def sets_daemon(config: str) -> bool:
    """Whether it has a ``daemon`` directive. A second one is an error, so ours must be left out then."""
    return DAEMON.search(config) is not None
