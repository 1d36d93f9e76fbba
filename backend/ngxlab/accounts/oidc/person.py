"""Who the provider says has signed in."""

from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ngxlab.accounts.emails import Email
from ngxlab.accounts.models import Role
from ngxlab.accounts.oidc.problems import OidcProblem, OidcRefused
from ngxlab.core.config import Settings

_EMAIL: TypeAdapter[str] = TypeAdapter(Email)


@dataclass(frozen=True)
class OidcPerson:
    """``subject``: the provider's identifier, which never changes. ``email``: verified by the provider, in lower case.

    ``role``: None where the settings derive no role from a claim.
    """

    issuer: str
    subject: str
    email: str
    role: Role | None


def lacks_claims(claims: dict[str, Any], settings: Settings) -> bool:
    """Whether the userinfo endpoint must be asked, too."""
    role_claim = settings.oidc_role_claim
    return "email" not in claims or (role_claim is not None and claim_at(claims, role_claim) is None)


def person(claims: dict[str, Any], settings: Settings) -> OidcPerson:
    """Raises OidcRefused without a verified address of an allowed domain."""
    if claims.get("email_verified") not in (True, "true"):
        raise OidcRefused(OidcProblem.no_email, "email_verified is not true")
    try:
        email = _EMAIL.validate_python(claims.get("email"))
    except ValidationError:
        raise OidcRefused(OidcProblem.no_email, "email is no address") from None
    allowed = settings.oidc_domains()
    if allowed and email.rpartition("@")[2] not in allowed:
        raise OidcRefused(OidcProblem.domain, "the address is of another domain")
    return OidcPerson(claims["iss"], claims["sub"], email, _role(claims, settings))


def claim_at(claims: dict[str, Any], path: str) -> Any:
    """A claim by its name, or by a dotted path: ``groups``, ``realm_access.roles``. None if there is none."""
    if path in claims:
        return claims[path]
    found: Any = claims
    for part in path.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _role(claims: dict[str, Any], settings: Settings) -> Role | None:
    """None where the settings leave roles to administrators."""
    if settings.oidc_role_claim is None:
        return None
    value = claim_at(claims, settings.oidc_role_claim)
    values = value if isinstance(value, list) else [value]
    return Role(settings.oidc_role({item for item in values if isinstance(item, str)}))
