"""Settings of the backend, read from the environment, where empty is unset. ``.env.example`` explains each one."""

from functools import lru_cache
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any

from ngxlab_contracts.broker import tls_options, without_user
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from ngxlab.core.settings.notify import NotifySettings
from ngxlab.core.settings.oidc import OidcSettings


class Settings(OidcSettings, NotifySettings):
    """Everything an operator may set. Secrets never appear in a log or a repr."""

    model_config = SettingsConfigDict(env_prefix="NGXLAB_", extra="ignore", env_ignore_empty=True)

    database_url: Annotated[SecretStr, Field(validation_alias="DATABASE_URL")]
    migration_database_url: SecretStr | None = None
    """The database as its owner, for migrations; ``DATABASE_URL`` where unset. The server needs no such rights."""
    redis_url: Annotated[SecretStr, Field(validation_alias="REDIS_URL")]
    coordinator_token: Annotated[SecretStr, Field(min_length=32)]
    public_url: str = "http://127.0.0.1:8400"
    agent_broker_url: SecretStr | None = None
    """Redis as hosts reach it; the backend's own ``REDIS_URL`` where unset."""
    broker_ca: Path | None = None
    """PEM of the authority of a ``rediss://`` server's certificate, where the system does not know it."""
    frontend_dir: Path | None = None
    """A built frontend to serve beside the API; unset where another server does that."""
    chromium: Path | None = None
    """The program that prints reports as PDF; unset: ``chromium`` in PATH. Without one there is no PDF."""
    agent_bundle_dir: Path | None = None
    """What hosts install (``bundle.json``, ``bundle.tar.gz``); unset: no machine can join by the line of the page."""
    data_dir: Path | None = None
    """A folder on the disk of the database, where that is on this machine: ``/readyz`` says when the disk is full."""
    bind: str = "127.0.0.1"
    port: int = 8400
    backend_processes: Annotated[int, Field(ge=1, le=64)] = 1
    """How many processes serve it. Each takes up to a core, and connections of its own to PostgreSQL and Redis."""
    cookie_secure: bool | None = None
    """Whether cookies travel over https only; unset: where the public URL is https."""
    session_hours: Annotated[int, Field(ge=1, le=24 * 90)] = 24 * 7
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = ()
    """Addresses and networks, separated by commas, whose X-Forwarded-For says who calls. All others' is ignored."""
    log_level: str = "INFO"
    metrics_token: Annotated[SecretStr, Field(min_length=16)] | None = None
    """Whoever has it may read ``/metrics``."""
    metrics_loopback: bool = False
    """This machine may read ``/metrics`` without a token."""
    audit_days: Annotated[int, Field(ge=90)] = 730
    """How long entries of the audit log are kept."""
    keep_raw_days: Annotated[int, Field(ge=1, le=36_500)] | None = None
    """How old raw data of runs becomes before it is removed; unset: it stays."""

    @field_validator("database_url", "migration_database_url", mode="after")
    @classmethod
    def _use_asyncpg(cls, url: SecretStr | None) -> SecretStr | None:
        if url is None:
            return None
        scheme, separator, rest = url.get_secret_value().partition("://")
        if not separator or scheme not in {"postgresql", "postgres", "postgresql+asyncpg"}:
            raise ValueError("must look like postgresql://user:password@host:port/name")
        return SecretStr(f"postgresql+asyncpg://{rest}")

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _networks(cls, listed: object) -> object:
        return [part.strip() for part in listed.split(",") if part.strip()] if isinstance(listed, str) else listed

    @field_validator("trusted_proxies", mode="after")
    @classmethod
    def _must_be_networks(cls, listed: tuple[str, ...]) -> tuple[str, ...]:
        for part in listed:
            ip_network(part)  # says itself what is wrong
        return listed

    @field_validator("public_url", mode="after")
    @classmethod
    def _no_trailing_slash(cls, url: str) -> str:
        return url.rstrip("/")

    def without_secrets(self) -> dict[str, Any]:
        """The settings that may be shown, as JSON values."""
        secret = {name for name, field in type(self).model_fields.items() if "SecretStr" in str(field.annotation)}
        return self.model_dump(mode="json", exclude=secret)

    @property
    def secure_cookies(self) -> bool:
        return self.public_url.startswith("https://") if self.cookie_secure is None else self.cookie_secure

    @property
    def broker_url_for_agents(self) -> str:
        """Without a user: each host has its own."""
        return without_user((self.agent_broker_url or self.redis_url).get_secret_value())

    @property
    def redis_options(self) -> dict[str, Any]:
        """What clients need beside ``redis_url``: for ``rediss://``, how to verify the server."""
        return tls_options(self.redis_url.get_secret_value(), str(self.broker_ca) if self.broker_ca else None)


@lru_cache
def get_settings() -> Settings:
    """The process's settings, read once."""
    return Settings()
