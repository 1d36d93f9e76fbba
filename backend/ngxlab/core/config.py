"""Settings of the backend, read from the environment, where empty is unset. ``.env.example`` explains each one."""

from functools import lru_cache
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from ngxlab_contracts.broker import tls_options, without_user
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ngxlab.core.payload import ascii_address


def _split(listed: object) -> object:
    return [part.strip() for part in listed.split(",") if part.strip()] if isinstance(listed, str) else listed


def _networks_only(listed: tuple[str, ...]) -> tuple[str, ...]:
    for part in listed:
        ip_network(part)  # says itself what is wrong
    return listed


Networks = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split), AfterValidator(_networks_only)]


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return not host
    return True


def _secret(file: Path | None, value: SecretStr | None) -> str | None:
    """Raises OSError where the file cannot be read."""
    if file is not None:
        return file.read_text().strip()
    return value.get_secret_value() if value else None


Demand = Literal["nobody", "administrators", "everybody"]
"""Whom something is demanded of."""


class OidcSettings(BaseSettings):
    """A part of the backend's settings. Without ``oidc_issuer`` there is no such sign-in."""

    oidc_issuer: str | None = None
    oidc_client_id: str = ""
    oidc_client_secret: SecretStr | None = None
    oidc_client_secret_file: Path | None = None
    """Read at each sign-in, so that the secret can be replaced without a restart."""
    oidc_scopes: str = "openid email profile"
    oidc_label: Annotated[str, Field(max_length=60)] = "single sign-on"
    """What the button says after "Sign in with"."""
    oidc_allowed_domains: str = ""
    """Comma-separated; empty: any."""
    oidc_role_claim: str | None = None
    """The claim that decides on roles, e.g. ``groups`` or ``realm_access.roles``. Unset: administrators decide."""
    oidc_administrators: str = ""
    oidc_experimenters: str = ""
    """Comma-separated values of that claim. Whoever has none of them is a viewer."""
    password_sign_in: bool = True
    break_glass_email: str | None = None
    """The only account that may sign in with its password where ``password_sign_in`` is off."""

    @field_validator("break_glass_email", mode="after")
    @classmethod
    def _as_accounts_have_it(cls, email: str | None) -> str | None:
        return email.strip().lower() if email else None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.oidc_issuer is not None and not self.oidc_client_id:
            raise ValueError("NGXLAB_OIDC_ISSUER needs NGXLAB_OIDC_CLIENT_ID")
        if self.oidc_role_claim is None and (self.oidc_administrators or self.oidc_experimenters):
            raise ValueError("NGXLAB_OIDC_ADMINISTRATORS and _EXPERIMENTERS need NGXLAB_OIDC_ROLE_CLAIM")
        if not self.password_sign_in and (self.oidc_issuer is None or self.break_glass_email is None):
            raise ValueError(
                "NGXLAB_PASSWORD_SIGN_IN=false needs NGXLAB_OIDC_ISSUER, and NGXLAB_BREAK_GLASS_EMAIL for the "
                "administrator who can still sign in while the provider is down"
            )
        return self

    def oidc_secret(self) -> str | None:
        """The client's secret; None for a public client."""
        return _secret(self.oidc_client_secret_file, self.oidc_client_secret)

    def oidc_domains(self) -> set[str]:
        return _words(self.oidc_allowed_domains.lower())

    def oidc_role(self, values: set[str]) -> Literal["viewer", "experimenter", "administrator"]:
        """The highest role of somebody whose claim has these values."""
        if values & _words(self.oidc_administrators):
            return "administrator"
        return "experimenter" if values & _words(self.oidc_experimenters) else "viewer"

    def may_use_password(self, email: str) -> bool:
        """Whether this address may sign in with a password. It is decided without looking for its account."""
        return self.password_sign_in or email == self.break_glass_email


def _words(text: str) -> set[str]:
    """The parts of a comma-separated list."""
    return {word.strip() for word in text.split(",") if word.strip()}


class NotifySettings(BaseSettings):
    """A part of the backend's settings. Without ``smtp_host`` nobody gets e-mail."""

    smtp_host: str | None = None
    smtp_port: Annotated[int, Field(ge=1, le=65_535)] = 587
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"
    smtp_user: str | None = None
    smtp_password: SecretStr | None = None
    smtp_password_file: Path | None = None
    """Read for each message, so that the password can be replaced without a restart."""
    mail_from: str | None = None
    """The sender's address."""
    webhook_networks: Networks = ()
    """Networks, separated by commas, that are not public and inside which webhooks may be called, by http too."""

    @model_validator(mode="after")
    def _mail_is_complete(self) -> Self:
        if self.smtp_host is not None and self.mail_from is None:
            raise ValueError("NGXLAB_SMTP_HOST needs NGXLAB_MAIL_FROM")
        if self.smtp_user is not None and self.smtp_security == "none":
            raise ValueError("NGXLAB_SMTP_SECURITY=none would send the password of NGXLAB_SMTP_USER in the clear")
        return self

    def mail_password(self) -> str | None:
        """Raises OSError where the file cannot be read."""
        return _secret(self.smtp_password_file, self.smtp_password)


PACKAGED_FRONTEND = Path(__file__).resolve().parents[1] / "frontend"
"""The build that a wheel brings."""


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
    frontend_dir: Path | None = PACKAGED_FRONTEND if PACKAGED_FRONTEND.is_dir() else None
    """The frontend's build, for exported pages and previews of links; unset where there is none."""
    chromium: Path | None = None
    """The program that prints reports as PDF; unset: ``chromium`` in PATH. Without one there is no PDF."""
    agent_bundle_dir: Path | None = None
    """What hosts install (``bundle.json``, ``bundle.tar.gz``); unset: no machine can join by the line of the page."""
    data_dir: Path | None = None
    """A folder on the disk of the database, where that is on this machine: ``/readyz`` says when the disk is full."""
    bind: str = "127.0.0.1"
    port: int = 8400
    jobs_processes: Annotated[int, Field(ge=1, le=64)] = 3
    """The number of processes of a jobs service. Each does one job at a time."""
    cookie_secure: bool | None = None
    """Whether cookies travel over https only; unset: where the public URL is https."""
    session_hours: Annotated[int, Field(ge=1, le=24 * 90)] = 24 * 7
    require_passkeys: Demand = "nobody"
    """Who, having a password, must add a passkey before they can do anything else."""
    trusted_proxies: Networks = ()
    """Addresses and networks, separated by commas, whose X-Forwarded-For says who calls. All others' is ignored."""
    log_level: str = "INFO"
    metrics_token: Annotated[SecretStr, Field(min_length=16)] | None = None
    """Whoever has it may read ``/metrics``."""
    metrics_loopback: bool = False
    """This machine may read ``/metrics`` without a token."""
    audit_days: Annotated[int, Field(ge=90)] = 730
    """Entries of the audit log are kept for so many days."""
    keep_raw_days: Annotated[int, Field(ge=1, le=36_500)] | None = None
    """Raw data of runs is removed after so many days; unset: it stays."""

    @field_validator("database_url", "migration_database_url", mode="after")
    @classmethod
    def _use_asyncpg(cls, url: SecretStr | None) -> SecretStr | None:
        if url is None:
            return None
        scheme, separator, rest = url.get_secret_value().partition("://")
        if not separator or scheme not in {"postgresql", "postgres", "postgresql+asyncpg"}:
            raise ValueError("must look like postgresql://user:password@host:port/name")
        return SecretStr(f"postgresql+asyncpg://{rest}")

    @field_validator("public_url", mode="after")
    @classmethod
    def _no_trailing_slash(cls, url: str) -> str:
        return ascii_address(url.rstrip("/"))

    @model_validator(mode="after")
    def _passkeys_are_possible(self) -> Self:
        if self.require_passkeys != "nobody" and self.passkey_obstacle is not None:
            raise ValueError(
                f"NGXLAB_REQUIRE_PASSKEYS={self.require_passkeys} needs an NGXLAB_PUBLIC_URL for which browsers have "
                f"passkeys: https:// and a host name, or http://localhost; it is {self.public_url}"
            )
        return self

    def without_secrets(self) -> dict[str, Any]:
        """The settings that may be shown, as JSON values."""
        secret = {name for name, field in type(self).model_fields.items() if "SecretStr" in str(field.annotation)}
        return self.model_dump(mode="json", exclude=secret)

    @property
    def public_host(self) -> str:
        """The host of the public URL, which passkeys are made for."""
        return urlsplit(self.public_url).hostname or ""

    @property
    def public_origin(self) -> str:
        """The public URL as browsers tell it of their pages: without a path, and without the port that is usual."""
        parts = urlsplit(self.public_url)
        usual = {"https": 443, "http": 80}.get(parts.scheme)
        port = "" if parts.port in {None, usual} else f":{parts.port}"
        return f"{parts.scheme}://{self.public_host}{port}"

    @property
    def passkey_obstacle(self) -> Literal["address", "insecure"] | None:
        """Why browsers have no passkeys for the public URL: it has an IP address for a name, or no https."""
        host = self.public_host
        if _is_address(host):
            return "address"
        is_local = host == "localhost" or host.endswith(".localhost")
        return None if self.public_url.startswith("https://") or is_local else "insecure"

    @property
    def secure_cookies(self) -> bool:
        return self.public_url.startswith("https://") if self.cookie_secure is None else self.cookie_secure

    @property
    def broker_url_for_agents(self) -> str:
        """The broker's URL without a user: each host has its own."""
        return without_user((self.agent_broker_url or self.redis_url).get_secret_value())

    @property
    def redis_options(self) -> dict[str, Any]:
        """What clients need beside ``redis_url``: for ``rediss://``, how to verify the server."""
        return tls_options(self.redis_url.get_secret_value(), str(self.broker_ca) if self.broker_ca else None)


@lru_cache
def get_settings() -> Settings:
    """The process's settings, read once."""
    return Settings()
