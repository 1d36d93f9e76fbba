"""What a browser keeps between leaving for the provider and coming back: a signed cookie, so that nothing is stored.

The cookie ties the answer to the browser that asked (``state``), to the ID token (``nonce``), and to this exchange
(the PKCE verifier). A page of another site can neither read nor set it.
"""

import hashlib
import hmac
import secrets
import time
from dataclasses import asdict, dataclass

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

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
