"""The account of an identity: known by issuer and subject, never by an e-mail address alone.

Whoever can register somebody's address at the provider must not become that person here. An address therefore leads
to an existing account only where nobody can be there yet (no password and no identity), or an administrator says so.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter, ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository as accounts
from ngxlab.accounts import sessions
from ngxlab.accounts.audit_entries import account_object, actor
from ngxlab.accounts.models import Account, Role
from ngxlab.accounts.oidc import repository
from ngxlab.accounts.oidc.models import AccountIdentity
from ngxlab.accounts.oidc.problems import OidcProblem, OidcRefused
from ngxlab.accounts.schemas import Email
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record, system
from ngxlab.core.clock import utcnow
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


_PROVIDER = system("sign-in provider")


async def account_of(session: AsyncSession, person: OidcPerson, break_glass_email: str | None) -> Account:
    """Found, linked or made. Raises OidcRefused for a disabled account, and for one that is somebody else's.

    The role follows the provider, but not of the administrator whom the settings keep for emergencies.
    """
    await repository.one_at_a_time(session, person.email)
    administrators = await accounts.lock_active_administrators(session)
    known = await repository.identity(session, person.issuer, person.subject)
    account = known.account if known else await _account_for(session, person)
    await session.refresh(account, with_for_update=True)
    if account.disabled_at is not None:
        raise OidcRefused(OidcProblem.disabled, "the account is disabled")
    if known is not None:
        known.email, known.last_used_at = person.email, utcnow()
    if account.email != break_glass_email:
        _drop_one_time_password(account)
        await _follow_role(session, account, person.role, administrators)
    return account


async def _account_for(session: AsyncSession, person: OidcPerson) -> Account:
    """The account for an identity that is new here."""
    account = await accounts.account_by_email(session, person.email)
    if account is None:
        account = Account(email=person.email, role=person.role or Role.viewer, password_hash=None)
        session.add(account)
        await session.flush()
        await record(session, _PROVIDER, Act.account_created, account_object(account), role=account.role)
    elif not await _may_link(session, account):
        raise OidcRefused(OidcProblem.account_exists, "the address has an account that is somebody's already")
    session.add(
        AccountIdentity(issuer=person.issuer, subject=person.subject, account_id=account.id, email=person.email)
    )
    on = account_object(account)
    await record(session, actor(account), Act.identity_linked, on, issuer=person.issuer, subject=person.subject)
    return account


async def _may_link(session: AsyncSession, account: Account) -> bool:
    if account.disabled_at is not None:
        return False
    if await repository.take_permit(session, account.id, utcnow()):
        return True
    return account.password_hash is None and not await repository.has_identity(session, account.id)


def _drop_one_time_password(account: Account) -> None:
    """Whoever signs in at the provider need not replace a password that somebody else made."""
    if account.must_change_password:
        account.password_hash, account.one_time_password_until = None, None


async def _follow_role(session: AsyncSession, account: Account, role: Role | None, administrators: set[UUID]) -> None:
    """Take over the provider's role, except from the last administrator, whom nobody could bring back.

    As with any change of a role, this ends sessions and tokens.
    """
    if role is None or account.role == role:
        return
    if account.role == Role.administrator and administrators <= {account.id}:
        return
    account.role = role
    await sessions.revoke_all_access(session, account.id)
    await record(session, _PROVIDER, Act.account_changed, account_object(account), role=role)
