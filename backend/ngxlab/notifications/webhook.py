"""Send a signed webhook, as Standard Webhooks says: https://github.com/standard-webhooks/standard-webhooks."""

import hmac
import json
import secrets
import ssl
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

import httpx2

from ngxlab.notifications.targets import Refused, Target, resolved

_PREFIX = "whsec_"
_PER_STEP_S = 8.0


def new_secret() -> str:
    """256 random bits in the form that libraries for receivers take."""
    return _PREFIX + b64encode(secrets.token_bytes(32)).decode()


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The header ``webhook-signature``: HMAC-SHA256 of ``id.timestamp.body``."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.digest(b64decode(secret.removeprefix(_PREFIX)), signed, sha256)
    return "v1," + b64encode(digest).decode()


@cache
def _trust() -> ssl.SSLContext:
    """What the system trusts, or the file that ``SSL_CERT_FILE`` names."""
    return ssl.create_default_context()


@dataclass(frozen=True)
class Endpoint:
    """``networks``: those that are not public and may be called."""

    url: str
    secret: str
    networks: Sequence[str]


async def send(to: Endpoint, message_id: str, timestamp: int, content: Mapping[str, Any]) -> str | None:
    """What went wrong; None where it was received (2xx). Redirects are not followed, and no answer's body is read."""
    body = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "ngxlab",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(to.secret, message_id, timestamp, body),
    }
    try:
        return await _post(await resolved(to.url, to.networks), body, headers)
    except Refused as error:
        return str(error)
    except (httpx2.HTTPError, httpx2.InvalidURL, ssl.SSLError, OSError) as error:
        return f"It could not be reached: {_why(error)}."


async def _post(targets: Sequence[Target], body: bytes, headers: Mapping[str, str]) -> str | None:
    """Posts to the first target that accepts a connection. Raises the last error where none does."""
    *others, last = targets
    for target in others:
        try:
            return await _post_to(target, body, headers)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            continue
    return await _post_to(last, body, headers)


async def _post_to(target: Target, body: bytes, headers: Mapping[str, str]) -> str | None:
    """The certificate is verified for the name that the person wrote, not for the address."""
    whole, name = {"Host": target.authority, **headers}, {"sni_hostname": target.host}
    client = httpx2.AsyncClient(verify=_trust(), trust_env=False, follow_redirects=False, timeout=_PER_STEP_S)
    async with client, client.stream("POST", target.url, content=body, headers=whole, extensions=name) as answer:
        return _judged(answer)


def _judged(answer: httpx2.Response) -> str | None:
    if answer.is_success:
        return None
    hint = " (redirects are not followed)" if answer.is_redirect else ""
    return f"It answered {answer.status_code}{hint}."


def _why(error: Exception) -> str:
    """Never with the URL, which may hold a secret."""
    if isinstance(error, httpx2.TimeoutException):
        return f"no answer within {_PER_STEP_S:g} s"
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return "its certificate is not trusted"
    return "no connection" if isinstance(error, httpx2.ConnectError) else type(error).__name__
