"""Settings of notifications: the operator's mail server, and networks inside which webhooks may be called."""

from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode


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
    webhook_networks: Annotated[tuple[str, ...], NoDecode] = ()
    """Networks, separated by commas, that are not public and inside which webhooks may be called, by http too."""

    @field_validator("webhook_networks", mode="before")
    @classmethod
    def _split(cls, listed: object) -> object:
        return [part.strip() for part in listed.split(",") if part.strip()] if isinstance(listed, str) else listed

    @field_validator("webhook_networks", mode="after")
    @classmethod
    def _networks_only(cls, listed: tuple[str, ...]) -> tuple[str, ...]:
        for part in listed:
            ip_network(part)  # says itself what is wrong
        return listed

    @model_validator(mode="after")
    def _mail_is_complete(self) -> Self:
        if self.smtp_host is not None and self.mail_from is None:
            raise ValueError("NGXLAB_SMTP_HOST needs NGXLAB_MAIL_FROM")
        if self.smtp_user is not None and self.smtp_security == "none":
            raise ValueError("NGXLAB_SMTP_SECURITY=none would send the password of NGXLAB_SMTP_USER in the clear")
        return self

    def mail_password(self) -> str | None:
        """Raises OSError where the file cannot be read."""
        if self.smtp_password_file is not None:
            return self.smtp_password_file.read_text().strip()
        return self.smtp_password.get_secret_value() if self.smtp_password else None
