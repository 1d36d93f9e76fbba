"""Fills the values that only this host knows into a trial's nginx.conf."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from ngxlab_contracts.trials import RunVariable

LOCAL = "127.0.0.1"
PLACEHOLDER = re.compile(r"@@(.*?)@@")
DAEMON = re.compile(r"^\s*daemon\s", re.MULTILINE)


class UnknownVariableError(ValueError):
    """The configuration names a run variable that this agent does not know."""


@dataclass(frozen=True)
class RunValues:
    """One value for each :data:`ngxlab_contracts.trials.RunVariable`. Both ports are on :data:`LOCAL`."""

    http_port: int
    status_port: int
    folder: Path

    @property
    def address(self) -> str:
        return LOCAL

    @property
    def pid_file(self) -> Path:
        return self.folder / "nginx.pid"

    @property
    def error_log(self) -> Path:
        return self.folder / "error.log"


def render(config: str, values: RunValues) -> str:
    """``config`` with every ``@@name@@`` replaced. Raises ``UnknownVariableError`` for a name not in the contract."""

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in get_args(RunVariable):
            known = ", ".join(get_args(RunVariable))
            raise UnknownVariableError(f"nginx.conf: unknown run variable @@{name}@@ (known: {known})")
        return str(getattr(values, name))

    return PLACEHOLDER.sub(value, config)


def sets_daemon(config: str) -> bool:
    """A second ``daemon`` directive is an error, so ours is given only where the configuration has none."""
    return DAEMON.search(config) is not None
