"""Settings of the sign-in by OpenID Connect. docs/sign-in.md explains them with examples."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings


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
        if self.oidc_client_secret_file is not None:
            return self.oidc_client_secret_file.read_text().strip()
        return self.oidc_client_secret.get_secret_value() if self.oidc_client_secret else None

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
