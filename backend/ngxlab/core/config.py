"""Settings of the backend, read from the environment. ``.env.example`` explains each one."""

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import SettingsConfigDict

from ngxlab.core.oidc_settings import OidcSettings


class Settings(OidcSettings):
    """Everything an operator may set. Secrets never appear in a log or a repr."""

    model_config = SettingsConfigDict(env_prefix="NGXLAB_", extra="ignore")

    database_url: Annotated[SecretStr, Field(validation_alias="DATABASE_URL")]
    redis_url: Annotated[SecretStr, Field(validation_alias="REDIS_URL")]
    coordinator_token: Annotated[SecretStr, Field(min_length=32)]
    public_url: str = "http://127.0.0.1:8400"
    agent_broker_url: SecretStr | None = None
    """Redis as hosts reach it; the backend's own ``REDIS_URL`` where unset."""
    frontend_dir: Path | None = None
    """A built frontend to serve beside the API; unset where another server does that."""
    bind: str = "127.0.0.1"
    port: int = 8400
    cookie_secure: bool = False
    """Must be true wherever the public URL is https."""
    session_hours: Annotated[int, Field(ge=1, le=24 * 90)] = 24 * 7
    log_level: str = "INFO"
    audit_days: Annotated[int, Field(ge=90)] = 730
    """How long entries of the audit log are kept."""

    @field_validator("database_url", mode="after")
    @classmethod
    def _use_asyncpg(cls, url: SecretStr) -> SecretStr:
        scheme, separator, rest = url.get_secret_value().partition("://")
        if not separator or scheme not in {"postgresql", "postgres", "postgresql+asyncpg"}:
            raise ValueError("must look like postgresql://user:password@host:port/name")
        return SecretStr(f"postgresql+asyncpg://{rest}")

    @field_validator("public_url", mode="after")
    @classmethod
    def _no_trailing_slash(cls, url: str) -> str:
        return url.rstrip("/")

    def without_secrets(self) -> dict[str, Any]:
        """The settings that may be shown, as JSON values."""
        secret = {name for name, field in type(self).model_fields.items() if "SecretStr" in str(field.annotation)}
        return self.model_dump(mode="json", exclude=secret)

    @property
    def broker_url_for_agents(self) -> str:
        return (self.agent_broker_url or self.redis_url).get_secret_value()


@lru_cache
def get_settings() -> Settings:
    """The process's settings, read once."""
    return Settings()
