"""What a broken or hostile provider, or a hostile visitor, achieves: a message on the sign-in page, no session."""

import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx2
import pytest
import services
from accounts.oidc.hostile_provider import CLIENT_ID, CLIENT_SECRET, HostileProvider, hostile_provider
from harness import Backend
from joserfc.jwk import RSAKey
from ngxlab.accounts.client import SESSION_COOKIE
from ngxlab.accounts.oidc.provider import OidcProblem
from ngxlab.core.config import Settings
from ngxlab.main import create_app
from pydantic import SecretStr
from serving import serving

from scripts.paths import FRONTEND

Fault = Callable[[HostileProvider], Any]


@pytest.fixture(scope="module")
def place(migrated: Settings) -> Iterator[tuple[HostileProvider, Backend]]:
    with hostile_provider() as provider:
        port = services.free_port()
        changes = {
            "port": port,
            "public_url": f"http://127.0.0.1:{port}",
            "oidc_issuer": provider.issuer,
            "oidc_client_id": CLIENT_ID,
            "oidc_client_secret": SecretStr(CLIENT_SECRET),
            "oidc_allowed_domains": "example.org, example.com",
            "oidc_role_claim": "realm.roles",
            "oidc_administrators": "lab-admins",
            "oidc_experimenters": "other, lab",
        }
        with serving(migrated.model_copy(update=changes)) as backend:
            yield provider, backend


@pytest.fixture
def provider(place: tuple[HostileProvider, Backend]) -> HostileProvider:
    """As a good provider, for a person whom nobody knows yet."""
    provider, _ = place
    fresh = HostileProvider(provider.issuer)
    name = uuid4().hex[:12]
    fresh.person = {"sub": name, "email": f"{name}@example.org", "email_verified": True, "realm": {"roles": ["lab"]}}
    provider.__dict__.update(fresh.__dict__)
    return provider


@pytest.fixture
def backend(place: tuple[HostileProvider, Backend], provider: HostileProvider, monkeypatch: Any) -> Backend:
    """It reads again what the provider publishes, at each sign-in."""
    del provider
    monkeypatch.setattr("ngxlab.accounts.oidc.provider._FRESH_S", -1.0)
    return place[1]


def _sign_in(backend: Backend, target: str = "/runs") -> tuple[httpx2.Client, str]:
    """Go to the provider and back; the browser, and the address where it lands."""
    browser = backend.client()
    at_provider = browser.get("/auth/oidc/start", params={"next": target})
    while at_provider.is_redirect and "/login" not in at_provider.headers["location"]:
        back = at_provider.headers["location"]
        if not back.startswith("http"):
            return browser, str(back)
        at_provider = browser.get(back)
    return browser, str(at_provider.headers.get("location", at_provider.url))


def _problem(address: str) -> str | None:
    parts = urlsplit(address)
    return parse_qs(parts.query).get("problem", [None])[0] if parts.path == "/login" else None


def test_a_right_answer_signs_in_with_the_role_of_the_claim(backend: Backend, provider: HostileProvider) -> None:
    browser, landed = _sign_in(backend)
    assert landed == "/runs"
    me = browser.get("/auth/me").json()
    assert me["account"]["email"] == provider.person["email"]
    assert me["account"]["role"] == "experimenter"
    assert provider.challenges == ["S256"]


def _claims(**changes: Any) -> Fault:
    return lambda provider: setattr(provider, "claims", lambda right: right | changes)


def _without(name: str) -> Fault:
    return lambda provider: setattr(
        provider, "claims", lambda right: {key: value for key, value in right.items() if key != name}
    )


def _set(**changes: Any) -> Fault:
    return lambda provider: provider.__dict__.update(changes)


def _other_key(provider: HostileProvider, claims: dict[str, Any]) -> str:
    real, provider.key = provider.key, RSAKey.generate_key(2048, {"kid": str(provider.key.kid)})
    try:
        return provider.signed(claims)
    finally:
        provider.key = real


def _public_key_as_secret(provider: HostileProvider, claims: dict[str, Any]) -> str:
    return provider.by_shared_secret(claims, provider.key.as_pem(private=False).replace(b"-----", b"====="))


def _tampered(provider: HostileProvider, claims: dict[str, Any]) -> str:
    head, _, signature = provider.signed(claims).split(".")
    return ".".join((head, provider.unsigned(claims | {"sub": "somebody-else"}).split(".")[1], signature))


_HOUR = 3600

FAULTS: dict[str, tuple[OidcProblem, Fault]] = {
    "signed by another key of that name": (OidcProblem.bad_token, _set(sign=_other_key)),
    "changed after it was signed": (OidcProblem.bad_token, _set(sign=_tampered)),
    "alg none": (OidcProblem.bad_token, _set(sign=lambda provider, claims: provider.unsigned(claims))),
    "signed with the client's secret": (
        OidcProblem.bad_token,
        _set(sign=lambda provider, claims: provider.by_shared_secret(claims, CLIENT_SECRET.encode())),
    ),
    "signed with the public key as a secret": (OidcProblem.bad_token, _set(sign=_public_key_as_secret)),
    "an unknown key": (
        OidcProblem.bad_token,
        _set(sign=lambda provider, claims: provider.signed(claims, kid="never published")),
    ),
    "no token": (OidcProblem.bad_token, _set(sign=lambda provider, claims: "not.a.token")),
    "another nonce": (OidcProblem.bad_token, _claims(nonce="of an earlier sign-in")),
    "no nonce": (OidcProblem.bad_token, _without("nonce")),
    "for another client": (OidcProblem.bad_token, _claims(aud="another-client")),
    "for several without saying for whom": (OidcProblem.bad_token, _claims(aud=[CLIENT_ID, "another"])),
    "issued to another client": (OidcProblem.bad_token, _claims(azp="another-client")),
    "by another issuer": (OidcProblem.bad_token, _claims(iss="https://evil.example")),
    "expired": (OidcProblem.bad_token, _claims(exp=int(time.time()) - _HOUR)),
    "without an end": (OidcProblem.bad_token, _without("exp")),
    "not valid yet": (OidcProblem.bad_token, _claims(nbf=int(time.time()) + _HOUR)),
    "from the future": (OidcProblem.bad_token, _claims(iat=int(time.time()) + _HOUR)),
    "without a subject": (OidcProblem.bad_token, _without("sub")),
    "a subject that is no text": (OidcProblem.bad_token, _claims(sub=7)),
    "an unverified address": (OidcProblem.no_email, _claims(email_verified=False)),
    "an address not said to be verified": (OidcProblem.no_email, _without("email_verified")),
    "an address that is none": (OidcProblem.no_email, _claims(email="nobody")),
    "of another domain": (OidcProblem.domain, _claims(email="me@example.net")),
    "of a domain that only ends alike": (OidcProblem.domain, _claims(email="me@evil-example.org")),
    "userinfo about somebody else": (
        OidcProblem.bad_token,
        lambda p: (_without("email")(p), _set(userinfo={"sub": "else", "email": "a@example.org"})(p)),
    ),
    "no address anywhere": (OidcProblem.no_email, _without("email")),
    "a wrong client secret": (
        OidcProblem.provider_error, _set(answers={"/token": (401, b'{"error":"invalid_client"}')}),
    ),
    "a spent code": (OidcProblem.expired, _set(answers={"/token": (400, b'{"error":"invalid_grant"}')})),
    "a token endpoint that fails": (OidcProblem.provider_down, _set(answers={"/token": (500, b"oops")})),
    "a token endpoint that talks nonsense": (OidcProblem.provider_down, _set(answers={"/token": (200, b"<html>")})),
    "a token endpoint without a token": (
        OidcProblem.bad_token, _set(answers={"/token": (200, b'{"access_token":"a"}')}),
    ),
    "keys that cannot be read": (OidcProblem.provider_down, _set(answers={"/jwks": (500, b"")})),
    "keys that are none": (OidcProblem.bad_token, _set(answers={"/jwks": (200, b'{"keys":[{"kty":"EC"}]}')})),
    "refused consent": (
        OidcProblem.refused, _set(redirect=lambda right: {"state": right["state"], "error": "access_denied"}),
    ),
    "an error of the provider": (
        OidcProblem.provider_error, _set(redirect=lambda right: {"state": right["state"], "error": "server_error"}),
    ),
    "no code": (OidcProblem.provider_error, _set(redirect=lambda right: {"state": right["state"]})),
    "another state": (OidcProblem.expired, _set(redirect=lambda right: right | {"state": "of somebody else"})),
    "no state": (OidcProblem.expired, _set(redirect=lambda right: {"code": right["code"]})),
    "an answer of another issuer": (
        OidcProblem.bad_token, _set(redirect=lambda right: right | {"iss": "https://evil.example"}),
    ),
    "discovery that is down": (
        OidcProblem.provider_down, _set(answers={"/.well-known/openid-configuration": (503, b"")}),
    ),
    "discovery without end": (
        OidcProblem.provider_down, _set(answers={"/.well-known/openid-configuration": (200, b" " * (2 << 20))}),
    ),
    "discovery of another issuer": (OidcProblem.provider_down, _set(metadata={"issuer": "https://evil.example"})),
    "a token endpoint without TLS": (
        OidcProblem.provider_down, _set(metadata={"token_endpoint": "http://login.example.org/token"}),
    ),
    "an authorization endpoint that is a script": (
        OidcProblem.provider_down, _set(metadata={"authorization_endpoint": "javascript:alert(1)"}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_no_session_and_a_named_problem(backend: Backend, provider: HostileProvider, fault: str) -> None:
    problem, spoil = FAULTS[fault]
    spoil(provider)
    browser, landed = _sign_in(backend)
    assert _problem(landed) == problem
    assert SESSION_COOKIE not in browser.cookies
    assert browser.get("/auth/me").status_code == 401


def test_a_provider_that_is_gone(settings: Settings) -> None:
    gone = {"oidc_issuer": f"http://127.0.0.1:{services.free_port()}", "oidc_client_id": "x"}
    with serving(settings.model_copy(update=gone | {"port": services.free_port()})) as backend:
        assert _problem(_sign_in(backend)[1]) == OidcProblem.provider_down


def test_an_answer_in_another_browser_is_worth_nothing(backend: Backend) -> None:
    begun = backend.client().get("/auth/oidc/start")
    state = parse_qs(urlsplit(begun.headers["location"]).query)["state"][0]
    landed = backend.client().get("/auth/oidc/callback", params={"state": state, "code": "stolen"})
    assert _problem(landed.headers["location"]) == OidcProblem.expired


def test_an_old_or_forged_cookie_is_worth_nothing(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ngxlab.accounts.oidc.provider.VALID_S", -1)
    browser = backend.client()
    begun = browser.get("/auth/oidc/start")
    state = parse_qs(urlsplit(begun.headers["location"]).query)["state"][0]
    cookie = begun.headers["set-cookie"].partition("=")[2].partition(";")[0]
    for value in (cookie, cookie[:-4] + "AAAA", "", "x.y.z"):
        headers = {"Cookie": f"ngxlab_oidc={value}"}
        landed = backend.client().get("/auth/oidc/callback", params={"state": state, "code": "c"}, headers=headers)
        assert _problem(landed.headers["location"]) == OidcProblem.expired


def test_new_keys_of_the_provider_are_found(
    backend: Backend, provider: HostileProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _sign_in(backend)[1] == "/runs"
    monkeypatch.setattr("ngxlab.accounts.oidc.provider._FRESH_S", 3600.0)
    asked = provider.asked.count("/jwks")
    assert _sign_in(backend)[1] == "/runs"
    assert provider.asked.count("/jwks") == asked  # the keys that are known
    provider.key = RSAKey.generate_key(2048, {"kid": "two"})
    assert _sign_in(backend)[1] == "/runs"


@pytest.mark.parametrize(
    "target",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "/x\\y", "javascript:alert(1)", "/a\nb", "", "runs"],
)
def test_it_leads_to_pages_of_this_site_only(backend: Backend, target: str) -> None:
    assert _sign_in(backend, target)[1] == "/experiments"


def test_a_failure_is_in_the_audit_log_and_tells_no_secret(
    backend: Backend, provider: HostileProvider, capfd: pytest.CaptureFixture[str]
) -> None:
    provider.claims = lambda right: right | {"nonce": "wrong"}
    _sign_in(backend)
    entries = backend.person().client.get("/audit", params={"act": "sign-in-failed"}).json()["items"]
    assert "bad-token" in [entry["detail"]["reason"] for entry in entries]
    out, err = capfd.readouterr()
    for secret in (CLIENT_SECRET, "a-code", "an-access-token"):
        assert secret not in out + err + str(entries)


def test_without_a_provider_there_is_none(settings: Settings) -> None:
    assert create_app(settings).state.oidc is None


def test_the_page_has_words_for_each_problem() -> None:
    page = (FRONTEND / "src/features/auth/LoginPage.tsx").read_text()
    assert [str(problem) for problem in OidcProblem if f"'{problem}'" not in page and f"{problem}:" not in page] == []
