"""A sign-in from the provider's answer to a session here.

An identity is known by issuer and subject, never by an e-mail address alone: whoever can register somebody's address at
the provider must not become that person here. An address therefore leads to an existing account only where nobody can
be there yet (no password and no identity), or an administrator says so.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter, ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository, secrets, sessions
from ngxlab.accounts.client import Client, remember_device
from ngxlab.accounts.models import Account, AccountIdentity, Role
from ngxlab.accounts.oidc.provider import Flow, OidcProblem, OidcRefused, Provider, checked
from ngxlab.accounts.schemas import Email
from ngxlab.accounts.service import account_object, actor
from ngxlab.accounts.sessions import open_session
from ngxlab.accounts.sign_in import SignedIn
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record, system
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.database import Database

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
    administrators = await repository.lock_active_administrators(session)
    known = await repository.identity(session, person.issuer, person.subject)
    account = known.account if known else await _account_for(session, person)
    await session.refresh(account, with_for_update={"key_share": True})
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
    account = await repository.account_by_email(session, person.email)
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


@dataclass(frozen=True)
class Callback:
    """What the provider sends the browser back with (RFC 6749, section 4.1.2; ``iss``: RFC 9207)."""

    state: str | None
    code: str | None
    error: str | None
    iss: str | None


async def sign_in(
    database: Database, provider: Provider, settings: Settings, flow: Flow | None, callback: Callback, *, client: Client
) -> SignedIn:
    """A new session. No connection to the database is held while the provider is asked. Raises OidcRefused."""
    asked = _require_ours(flow, callback, provider)
    who = await _identify(provider, settings, asked, callback.code)
    async with database.transaction() as session:
        account = await account_of(session, who, settings.break_glass_email)
        opened = await open_session(session, account, client, settings.session_hours)
        cookie = await remember_device(session, account.id, client.device)
        await record(session, actor(account), Act.signed_in, method="provider")
    return SignedIn(opened, cookie)


def _require_ours(flow: Flow | None, callback: Callback, provider: Provider) -> Flow:
    """The flow to which this is the answer."""
    if flow is None or callback.state is None or not secrets.same(flow.state, callback.state):
        raise OidcRefused(OidcProblem.expired, "the answer is to no sign-in of this browser")
    if callback.iss is not None and callback.iss != provider.issuer:
        raise OidcRefused(OidcProblem.bad_token, "the answer is of another issuer")
    if callback.error is not None or not callback.code:
        refused = callback.error in {"access_denied", "consent_required", "login_required", "interaction_required"}
        problem = OidcProblem.refused if refused else OidcProblem.provider_error
        raise OidcRefused(problem, f"the provider answered {str(callback.error)[:100]!r}")
    return flow


async def _identify(provider: Provider, settings: Settings, flow: Flow, code: str | None) -> OidcPerson:
    answer = await provider.exchange(code or "", flow)
    claims = await checked(provider, answer, client_id=settings.oidc_client_id, nonce=flow.nonce)
    if lacks_claims(claims, settings):
        more = await provider.userinfo(answer.access_token)
        if more and more.get("sub") != claims["sub"]:
            raise OidcRefused(OidcProblem.bad_token, "userinfo is about somebody else")
        claims = more | claims
    return person(claims, settings)
