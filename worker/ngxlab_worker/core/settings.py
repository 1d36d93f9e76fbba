"""Settings of the agent and of the coordinator, from environment variables."""

import os
from dataclasses import dataclass
from pathlib import Path

from ngxlab_contracts.broker import COORDINATOR_USER, broker_password, with_user


class SettingMissingError(Exception):
    """A setting that has no default is not set; the message gives its name and purpose."""


class SettingInvalidError(Exception):
    """A setting has a value that it cannot have; the message says which it can."""


@dataclass(frozen=True)
class AgentSettings:
    """``folder`` holds credential.json, caps.toml, spool/, trials/ and config-tests/; ``run_as`` must be able to enter.

    ``folder`` has no symbolic links, since the kernel resolves them in mounts, loop devices and working directories.
    ``nginx_paths`` are binaries to offer besides those on PATH and in the usual places. ``server_run`` has the pid
    files of the stack that started this agent.
    """

    folder: Path
    run_as: str | None
    backend_url: str | None
    nginx_paths: tuple[str, ...] = ()
    server_run: Path | None = None

    @classmethod
    def from_environment(cls) -> "AgentSettings":
        return cls(
            folder=Path(
                _required("NGXLAB_AGENT_DIR", "the folder where the agent keeps its credential and data")
            ).resolve(),
            run_as=os.environ.get("NGXLAB_RUN_AS") or None,
            backend_url=os.environ.get("NGXLAB_BACKEND_URL") or None,
            nginx_paths=tuple(filter(None, os.environ.get("NGXLAB_NGINX_PATHS", "").split(os.pathsep))),
            server_run=Path(folder) if (folder := os.environ.get("NGXLAB_SERVER_RUN_DIR")) else None,
        )

    @property
    def spool_root(self) -> Path:
        return self.folder / "spool"

    @property
    def trials_root(self) -> Path:
        return self.folder / "trials"

    @property
    def config_tests_root(self) -> Path:
        return self.folder / "config-tests"


DEFAULT_SLOTS = 64


@dataclass(frozen=True)
class CoordinatorSettings:
    """``slots``: how many runs are driven at once. Each needs a thread that mostly waits.

    ``heartbeat_file`` is as old as the last pulse that the backend has answered while Redis could be reached: for those
    who watch the process.
    """

    backend_url: str
    token: str
    broker_url: str
    slots: int = DEFAULT_SLOTS
    heartbeat_file: Path | None = None

    @classmethod
    def from_environment(cls) -> "CoordinatorSettings":
        return cls(
            backend_url=_required("NGXLAB_BACKEND_URL", "the backend's address"),
            token=_required("NGXLAB_COORDINATOR_TOKEN", "the coordinator's credential, the same as the backend's"),
            broker_url=_required("REDIS_URL", "the Celery broker"),
            slots=_slots(os.environ.get("NGXLAB_COORDINATOR_SLOTS") or str(DEFAULT_SLOTS)),
            heartbeat_file=Path(file) if (file := os.environ.get("NGXLAB_HEARTBEAT_FILE")) else None,
        )

    @property
    def broker_login(self) -> str:
        """The URL of Redis with the coordinator's own user, whoever ``broker_url`` names."""
        return with_user(self.broker_url, COORDINATOR_USER, broker_password(self.token))


def broker_ca_file() -> str | None:
    """PEM of the authority of a ``rediss://`` broker's certificate; ``None``: the system's authorities."""
    return os.environ.get("NGXLAB_BROKER_CA") or None


def _slots(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise SettingInvalidError(f"NGXLAB_COORDINATOR_SLOTS is {text!r}: set it to a number from 1 to 1000")
    return int(text)


def log_level() -> str:
    return os.environ.get("NGXLAB_LOG_LEVEL", "INFO").upper()


def log_format() -> str:
    form = os.environ.get("NGXLAB_LOG_FORMAT") or "text"
    if form not in {"text", "json"}:
        raise SettingInvalidError(f"NGXLAB_LOG_FORMAT is {form!r}: it can be text or json")
    return form


def _required(name: str, purpose: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise SettingMissingError(f"{name} is not set: set it to {purpose}")
    return value
