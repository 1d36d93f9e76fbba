"""Settings of the stack: the environment first, then ``.env``, then defaults. ``.env.example`` explains each."""

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.console import Failure
from scripts.paths import ROOT

MAX_SOCKET_PATH = 90
"""Bytes: the kernel allows 107 for a Unix socket, and supervisord appends its pid while it creates one."""


PASSED_ON = ("NGXLAB_", "TLS_CERT", "TLS_KEY")


@dataclass(frozen=True)
class Settings:
    """``database_url`` and ``redis_url`` are set only where they replace the embedded servers."""

    data: Path
    bind: str
    port: int
    postgres_port: int
    redis_port: int
    database_url: str | None
    redis_url: str | None
    administrator: str
    """E-mail address of the first administrator, who also owns the tools' API tokens."""
    passed_on: Mapping[str, str]
    """Every ``NGXLAB_*`` setting as given, and the files of TLS, for the services."""

    @property
    def url(self) -> str:
        """The product's address on this machine, without a slash at its end."""
        everywhere = self.bind in {"0.0.0.0", "127.0.0.1"}
        return f"http://{'127.0.0.1' if everywhere else self.bind}:{self.port}"

    @property
    def run(self) -> Path:
        return self.data / "run"

    @property
    def logs(self) -> Path:
        return self.data / "logs"

    @property
    def agent(self) -> Path:
        """The agent's own folder: credential, spool, trials."""
        return self.data / "agent"


def load() -> Settings:
    """Read the settings of this checkout. Raises :class:`Failure` that names an invalid setting."""
    values = parse_env_file(ROOT / ".env") | os.environ
    default_data = "/var/lib/ngxlab" if os.geteuid() == 0 else str(ROOT / ".data")
    data = Path(values.get("NGXLAB_DATA_DIR") or default_data).expanduser()
    data = data if data.is_absolute() else ROOT / data
    if len(os.fsencode(data / "run" / "supervisor.sock")) > MAX_SOCKET_PATH:
        raise Failure(
            f"the data folder's path is too long for a Unix socket: {data}", "set NGXLAB_DATA_DIR to a shorter one"
        )
    return Settings(
        data=data,
        bind=values.get("NGXLAB_BIND") or "127.0.0.1",
        port=_port(values, "NGXLAB_PORT", 8400),
        postgres_port=_port(values, "NGXLAB_POSTGRES_PORT", 8432),
        redis_port=_port(values, "NGXLAB_REDIS_PORT", 8479),
        database_url=values.get("DATABASE_URL") or None,
        redis_url=values.get("REDIS_URL") or None,
        administrator=values.get("NGXLAB_ADMIN_EMAIL") or "admin@localhost",
        passed_on={name: value for name, value in values.items() if name.startswith(PASSED_ON) and value},
    )


def parse_env_file(path: Path) -> dict[str, str]:
    """``NAME=value`` lines with shell-like quotes; ``#`` starts a comment. No file means no settings."""
    if not path.is_file():
        return {}
    values: dict[str, str] = {}
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise Failure(f"{path}, line {number}: {error}", "quote the value as for a shell") from error
        if not words:
            continue
        name, equals, value = words[0].partition("=")
        if not equals or not name.isidentifier() or len(words) > 1:
            raise Failure(f"{path}, line {number}: expected NAME=value", "put quotes around a value with spaces")
        values[name] = value
    return values


def _port(values: Mapping[str, str], name: str, default: int) -> int:
    text = values.get(name) or str(default)
    if not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise Failure(f"{name} is {text!r}, not a port", "give a number from 1 to 65535, or leave it out")
    return int(text)
