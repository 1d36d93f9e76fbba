"""The provider: its published configuration and keys, and the exchange of a code for what it says about a person.

What a browser keeps between leaving for the provider and coming back is a signed cookie, so that nothing is stored. It
ties the answer to the browser that asked (``state``), to the ID token (``nonce``), and to this exchange
(the PKCE verifier). A page of another site can neither read nor set it.
"""

import hashlib
import hmac
import secrets
import time
from base64 import b64encode
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import quote_plus, urlsplit

import httpx2
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet, OctKey

from ngxlab.core.config import Settings

COOKIE = "ngxlab_oidc"
COOKIE_PATH = "/api/v1/auth/oidc"
VALID_S = 600
_ALGORITHM = "HS256"
_START = "/experiments"


@dataclass(frozen=True)
class Flow:
    """``next``: the page of this site to which the sign-in leads."""

    state: str
    nonce: str
    verifier: str
    next: str


def begin(target: str | None) -> Flow:
    """A flow that nobody can guess."""
    return Flow(
        state=secrets.token_urlsafe(32),
        nonce=secrets.token_urlsafe(32),
        verifier=secrets.token_urlsafe(64),
        next=safe_target(target),
    )


def safe_target(target: str | None) -> str:
    """A path of this site, else the start page: browsers read ``//`` and ``/\\`` as the beginning of another host."""
    if not target or not target.startswith("/") or len(target) > 500:
        return _START
    if target[1:2] in {"/", "\\"} or not target.isprintable() or "\\" in target or not target.isascii():
        return _START
    return target


def _key(settings: Settings) -> OctKey:
    secret = settings.coordinator_token.get_secret_value().encode()
    return OctKey.import_key(hmac.digest(secret, b"ngxlab oidc flow", hashlib.sha256))


def sealed(flow: Flow, settings: Settings) -> str:
    """The cookie's value."""
    claims = asdict(flow) | {"exp": int(time.time()) + VALID_S}
    return jwt.encode({"alg": _ALGORITHM}, claims, _key(settings), algorithms=[_ALGORITHM])


def opened(cookie: str | None, settings: Settings) -> Flow | None:
    """The flow of a cookie; None if it is missing, not ours, or too old."""
    try:
        claims = jwt.decode(cookie or "", _key(settings), algorithms=[_ALGORITHM]).claims
        if int(claims.pop("exp")) < time.time():
            return None
        return Flow(**claims)
    except (JoseError, ValueError, TypeError, KeyError):
        return None


class OidcProblem(StrEnum):
    """Told to the sign-in page, whose words are in ``frontend/src/features/auth/LoginPage.tsx``."""

    provider_down = "provider-down"
    """It does not answer, or not as OpenID Connect Discovery says."""
    provider_error = "provider-error"
    """It refuses this installation: an unknown client, a wrong secret, another redirect address."""
    refused = "refused"
    """The person refused their consent, or the provider refused the person."""
    expired = "expired"
    """Begun too long ago, or in another browser, or a second time with the same answer."""
    bad_token = "bad-token"  # noqa: S105 (a name, no secret)
    """The provider's answer is not one to this sign-in: signature, issuer, audience, nonce or time are wrong."""
    no_email = "no-email"
    """No e-mail address, or one that the provider has not verified."""
    domain = "domain"
    """The address is of none of the domains that may sign in."""
    account_exists = "account-exists"
    """The address has an account that this identity may not take over."""
    disabled = "disabled"


class OidcRefused(Exception):
    """``reason``: for the log; it never has a secret, and nobody but operators reads it."""

    def __init__(self, problem: OidcProblem, reason: str) -> None:
        super().__init__(reason)
        self.problem = problem
        self.reason = reason


CALLBACK_PATH = "/api/v1/auth/oidc/callback"
_TIMEOUT_S = 10.0
_MAX_BYTES = 1 << 20
_FRESH_S = 3600.0
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True)
class Answer:
    """The answer of the token endpoint: an ID token, not yet checked, and an access token for the userinfo endpoint."""

    id_token: str
    access_token: str


class Provider:
    """One for the process. What it publishes is kept for an hour; its keys are read again for one that is unknown."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.issuer = settings.oidc_issuer or ""
        self._metadata: dict[str, Any] = {}
        self._keys: dict[str, Any] = {}
        self._read_at = float("-inf")

    @property
    def redirect_uri(self) -> str:
        return f"{self._settings.public_url}{CALLBACK_PATH}"

    async def metadata(self) -> dict[str, Any]:
        """OpenID Connect Discovery 1.0, section 4. Raises OidcRefused if the provider is down or another one."""
        if time.monotonic() - self._read_at > _FRESH_S:
            found = await _get_json(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
            if found.get("issuer") != self.issuer:
                raise OidcRefused(OidcProblem.provider_down, f"discovery names the issuer {found.get('issuer')!r}")
            for name in _ENDPOINTS:
                _require_protected(name, found.get(name))
            self._metadata, self._keys, self._read_at = found, {}, time.monotonic()
        return self._metadata

    async def keys(self, *, again: bool = False) -> dict[str, Any]:
        """The JSON Web Key Set."""
        metadata = await self.metadata()
        if again or not self._keys:
            self._keys = await _get_json(metadata["jwks_uri"])
        return self._keys

    async def authorization_url(self, flow: Flow) -> str:
        """Where the browser goes to sign in."""
        metadata = await self.metadata()
        async with self._client() as client:
            url, _ = client.create_authorization_url(
                metadata["authorization_endpoint"],
                state=flow.state,
                nonce=flow.nonce,
                code_challenge=create_s256_code_challenge(flow.verifier),
                code_challenge_method="S256",
            )
        return str(url)

    async def exchange(self, code: str, flow: Flow) -> Answer:
        """Raises OidcRefused."""
        metadata = await self.metadata()
        async with self._client() as client:
            try:
                token = await client.fetch_token(
                    metadata["token_endpoint"], grant_type="authorization_code", code=code, code_verifier=flow.verifier
                )
            except OAuthError as error:
                spent = error.error == "invalid_grant"
                problem = OidcProblem.expired if spent else OidcProblem.provider_error
                raise OidcRefused(problem, f"the token endpoint answered {str(error.error)[:100]!r}") from None
            except (httpx2.HTTPError, ValueError) as error:
                reason = f"the token endpoint cannot be used: {type(error).__name__}"
                raise OidcRefused(OidcProblem.provider_down, reason) from None
        if not isinstance(token.get("id_token"), str) or not isinstance(token.get("access_token"), str):
            raise OidcRefused(OidcProblem.bad_token, "the token endpoint sent no ID token")
        return Answer(token["id_token"], token["access_token"])

    async def userinfo(self, access_token: str) -> dict[str, Any]:
        """Claims that the ID token left out; none if the provider has no such endpoint."""
        endpoint = (await self.metadata()).get("userinfo_endpoint")
        if endpoint is None:
            return {}
        _require_protected("userinfo_endpoint", endpoint)
        return await _get_json(endpoint, {"Authorization": f"Bearer {access_token}"})

    def _client(self) -> AsyncOAuth2Client:
        methods = self._metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        method = "client_secret_basic" if "client_secret_basic" in methods else "client_secret_post"
        secret = self._settings.oidc_secret()
        client = AsyncOAuth2Client(
            client_id=self._settings.oidc_client_id,
            client_secret=secret,
            token_endpoint_auth_method=method if secret else "none",
            scope=self._settings.oidc_scopes,
            redirect_uri=self.redirect_uri,
            timeout=_TIMEOUT_S,
        )
        client.register_client_auth_method(("client_secret_basic", _basic))
        return client


def _basic(client: Any, _method: str, uri: str, headers: dict[str, str], body: str) -> tuple[str, dict[str, str], str]:
    """RFC 6749, section 2.3.1: id and secret are form-encoded first, which the library leaves out."""
    pair = f"{quote_plus(client.client_id)}:{quote_plus(client.client_secret)}"
    return uri, headers | {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}, body


def _require_protected(name: str, url: object) -> None:
    """What is secret travels encrypted, or does not leave this machine."""
    parts = urlsplit(url if isinstance(url, str) else "")
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise OidcRefused(OidcProblem.provider_down, f"{name} is no https address")


async def _get_json(url: str, headers: dict[str, str] | None = None) -> dict[str, Any]:
    """Raises OidcRefused for whatever is no JSON object of reasonable size."""
    try:
        async with httpx2.AsyncClient(timeout=_TIMEOUT_S) as client, client.stream("GET", url, headers=headers) as got:
            got.raise_for_status()
            body = b""
            async for piece in got.aiter_bytes():
                body += piece
                if len(body) > _MAX_BYTES:
                    raise ValueError("too long")
        found = httpx2.Response(200, content=body).json()
    except (httpx2.HTTPError, ValueError) as error:
        raise OidcRefused(OidcProblem.provider_down, f"cannot read {url}: {type(error).__name__}") from None
    if not isinstance(found, dict):
        raise OidcRefused(OidcProblem.provider_down, f"cannot read {url}: no JSON object")
    return found


_ALGORITHMS = {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"}
"""Signatures by a key that only the provider has: neither ``none`` nor one by a shared secret."""

_LEEWAY_S = 60


async def checked(provider: Provider, answer: Answer, *, client_id: str, nonce: str) -> dict[str, Any]:
    """The token's claims. Raises OidcRefused for any doubt."""
    token = await _signed(provider, answer.id_token)
    options: Any = {
        "iss": {"essential": True, "value": provider.issuer},
        "aud": {"essential": True, "value": client_id},
        "nonce": {"essential": True, "value": nonce},
        "sub": {"essential": True},
    }
    params = {"client_id": client_id, "nonce": nonce, "access_token": answer.access_token}
    claims = CodeIDToken(token.claims, token.header, options, params)
    try:
        claims.validate(leeway=_LEEWAY_S)
    except (JoseError, ValueError, TypeError) as error:
        raise OidcRefused(OidcProblem.bad_token, f"ID token: {error}") from None
    if not isinstance(claims["sub"], str) or not 0 < len(claims["sub"]) <= 255:
        raise OidcRefused(OidcProblem.bad_token, "ID token: sub is no identifier")
    return dict(claims)


async def _signed(provider: Provider, text: str) -> jwt.Token:
    """The token, if the provider has signed it. Keys change: for an unknown one the set is read once more."""
    metadata = await provider.metadata()
    published = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
    algorithms = sorted(_ALGORITHMS & {str(name) for name in published})
    for again in (False, True):
        try:
            keys = KeySet.import_key_set(await provider.keys(again=again))  # type: ignore[arg-type]
            return jwt.decode(text, keys, algorithms=algorithms)
        except (InvalidKeyIdError, KeyError) as error:
            problem = error
        except (JoseError, ValueError, TypeError) as error:
            raise OidcRefused(OidcProblem.bad_token, f"ID token: {type(error).__name__}") from None
    raise OidcRefused(OidcProblem.bad_token, f"ID token: {type(problem).__name__}")
