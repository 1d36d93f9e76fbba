"""Secrets of the embedded stack, generated once and stored in ``secrets.env`` (mode 0600) in the data folder."""

import secrets
from dataclasses import dataclass
from pathlib import Path

from scripts.stack.settings import Settings, parse_env_file

NAMES = ("POSTGRES_PASSWORD", "POSTGRES_OWNER_PASSWORD", "REDIS_PASSWORD", "NGXLAB_COORDINATOR_TOKEN")


@dataclass(frozen=True)
class Passwords:
    """Those of the roles of the private PostgreSQL."""

    owner: str
    app: str


@dataclass(frozen=True)
class Credentials:
    postgres: Passwords
    redis_password: str
    coordinator_token: str


def ensure(settings: Settings) -> Credentials:
    """Read the secrets and generate missing ones. A coordinator token from the settings overrides the stored one."""
    path = path_of(settings)
    kept = parse_env_file(path)
    values = {name: kept.get(name) or secrets.token_urlsafe(32) for name in NAMES}
    if any(name not in kept for name in NAMES):
        write_private(path, "".join(f"{name}={value}\n" for name, value in (kept | values).items()))
    return Credentials(
        postgres=Passwords(owner=values["POSTGRES_OWNER_PASSWORD"], app=values["POSTGRES_PASSWORD"]),
        redis_password=values["REDIS_PASSWORD"],
        coordinator_token=settings.passed_on.get("NGXLAB_COORDINATOR_TOKEN") or values["NGXLAB_COORDINATOR_TOKEN"],
    )


def path_of(settings: Settings) -> Path:
    return settings.data / "secrets.env"


def write_private(path: Path, text: str) -> None:
    """Replace ``path`` atomically by a file that only its owner may read."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    temporary.touch(mode=0o600)
    temporary.write_text(text)
    temporary.replace(path)
