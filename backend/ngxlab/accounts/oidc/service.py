"""A sign-in from the provider's answer to a session here."""

from dataclasses import dataclass

from ngxlab.accounts import devices, secrets
from ngxlab.accounts.audit_entries import actor
from ngxlab.accounts.client import Client
from ngxlab.accounts.oidc.accounts import OidcPerson, account_of, lacks_claims, person
from ngxlab.accounts.oidc.flow import Flow
from ngxlab.accounts.oidc.problems import OidcProblem, OidcRefused
from ngxlab.accounts.oidc.provider import Provider, checked
from ngxlab.accounts.sessions import open_session
from ngxlab.accounts.sign_in import SignedIn
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.config import Settings
from ngxlab.core.database import Database


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
        cookie = await devices.remember(session, account.id, client.device)
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
