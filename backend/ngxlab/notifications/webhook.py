"""Send a signed webhook, as Standard Webhooks says: https://github.com/standard-webhooks/standard-webhooks.

A name is resolved here, and the connection is made to the address that was judged, so that a second answer of the name
server changes nothing (DNS rebinding).
"""

import asyncio
import hmac
import json
import secrets
import socket
import ssl
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any
from urllib.parse import SplitResult, urlsplit

import httpx2
from ngxlab_contracts.sentences import say

MAX_URL = 2_000
_UNICAST = ip_network("2000::/3")
"""The only IPv6 addresses that anybody has been given (IANA, IPv6 Global Unicast Address Assignments)."""
_DOCUMENTATION = ip_network("3fff::/20")
Address = IPv4Address | IPv6Address


class Refused(Exception):
    """A webhook that is not called; the message says why."""


@dataclass(frozen=True)
class Target:
    """``url`` with the address that was judged in place of ``host``; ``authority`` is for the header Host."""

    url: str
    host: str
    authority: str


def checked(url: str, networks: Sequence[str]) -> SplitResult:
    """The parts of a sound URL. Raises Refused; looks up no name."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Refused(say("This is no URL: {error}.", error=str(error))) from error
    if parts.scheme not in {"https", "http"} or not parts.hostname or port == 0:
        raise Refused("Write a URL such as https://ci.example.org/hooks/ngxlab.")
    if parts.username is not None or parts.fragment:
        raise Refused("A webhook's URL has no user and no fragment. The body is signed, so no password is needed.")
    if any(character <= " " or character > "~" or character == "\\" for character in url):
        raise Refused("A URL has no spaces and no characters beyond ASCII; write them as %XX.")
    if parts.scheme == "http" and not networks:
        raise Refused("Webhooks need https. An operator can allow http inside networks with NGXLAB_WEBHOOK_NETWORKS.")
    if (literal := _literal(parts.hostname)) is not None:
        _require_allowed(parts, [literal], networks)
    return parts


async def resolved(url: str, networks: Sequence[str]) -> list[Target]:
    """One for each address that may be called. Raises Refused for a name that has none."""
    parts = checked(url, networks)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Refused(say("{host} has no address.", host=host)) from error
    addresses = dict.fromkeys(ip_address(str(entry[4][0]).partition("%")[0]) for entry in found)
    return [
        Target(parts._replace(netloc=f"{_in_url(address)}:{port}").geturl(), host, parts.netloc)
        for address in _require_allowed(parts, list(addresses), networks)
    ]


def _require_allowed(parts: SplitResult, addresses: Sequence[Address], networks: Sequence[str]) -> list[Address]:
    """The addresses that may be called: public ones by https, and those in ``networks``. Raises Refused for none."""
    by_https = parts.scheme == "https"
    if allowed := [one for one in addresses if _is_in(one, networks) or (by_https and _is_public(one))]:
        return allowed
    if any(map(_is_public, addresses)):
        raise Refused(say("{name} is a public address, which is called by https only.", name=parts.hostname or ""))
    raise Refused(
        say(
            "{name} is not a public address. An operator can allow its network with NGXLAB_WEBHOOK_NETWORKS.",
            name=parts.hostname or "",
        )
    )


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _is_in(address: Address, networks: Sequence[str]) -> bool:
    plain = _unmapped(address)
    return any(plain in ip_network(network) for network in networks)


def _unmapped(address: Address) -> Address:
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def _is_public(address: Address) -> bool:
    """What leads through a tunnel or a translator to another address is judged as not public."""
    plain = _unmapped(address)
    if isinstance(plain, IPv6Address):
        led_on = plain.sixtofour is not None or plain.teredo is not None
        if plain not in _UNICAST or plain in _DOCUMENTATION or led_on:
            return False
    return plain.is_global and not plain.is_multicast


def _in_url(address: Address) -> str:
    return f"[{address}]" if address.version == 6 else str(address)


def named(target: str) -> str:
    """What may be written down of a channel's target: an e-mail's address, of a URL its host."""
    return urlsplit(target).hostname or "webhook" if "://" in target else target


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
