"""Whether an ID token is the provider's answer to our question (OpenID Connect Core 1.0, section 3.1.3.7)."""

from typing import Any

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from ngxlab.accounts.oidc.problems import OidcProblem, OidcRefused
from ngxlab.accounts.oidc.provider import Answer, Provider

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
