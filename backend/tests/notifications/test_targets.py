"""Which addresses a webhook may reach: nothing of the server's own networks, however it is written or resolved."""

import asyncio
import socket
from typing import Any

import pytest
from ngxlab.notifications.webhook import Refused, checked, resolved

HIDDEN = [
    "https://127.0.0.1/x",
    "https://127.1.2.3/x",
    "https://[::1]/x",
    "https://0.0.0.0/x",
    "https://[::]/x",
    "https://10.0.0.1/x",
    "https://172.16.3.4/x",
    "https://192.168.1.1/x",
    "https://169.254.169.254/latest/meta-data",
    "https://[fe80::1]/x",
    "https://[fd00::1]/x",
    "https://[::ffff:127.0.0.1]/x",
    "https://[64:ff9b::7f00:1]/x",
    "https://[2002:7f00:1::]/x",
    "https://[fec0::1]/x",
    "https://[::127.0.0.1]/x",
    "https://[::ffff:0:7f00:1]/x",
    "https://[3fff::1]/x",
    "https://[5f00::1]/x",
    "https://[2001:0:7f00:1::]/x",
    "https://100.64.0.1/x",
    "https://224.0.0.1/x",
    "https://255.255.255.255/x",
    "https://localhost/x",
    "https://2130706433/x",
    "https://0x7f000001/x",
    "https://127.1/x",
]


@pytest.mark.parametrize("url", HIDDEN)
def test_addresses_that_are_not_public_are_refused(url: str) -> None:
    with pytest.raises(Refused):
        asyncio.run(resolved(url, ()))


@pytest.mark.parametrize(
    "url",
    [
        "ftp://192.0.2.1/x",
        "//example.org/x",
        "https://",
        "https://user:secret@example.org/x",
        "https://example.org/x#part",
        "https://example.org:0/x",
        "https://example.org:99999/x",
        "https://exa mple.org/x",
        "https://example.org\\@127.0.0.1/x",
        "http://example.org/x",
    ],
)
def test_what_is_no_sound_url_is_refused(url: str) -> None:
    with pytest.raises(Refused):
        checked(url, ())


def test_the_operator_can_allow_networks_where_http_is_spoken_too() -> None:
    [target] = asyncio.run(resolved("http://127.0.0.1:8080/x?y=1", ("127.0.0.0/8",)))
    assert (target.url, target.authority) == ("http://127.0.0.1:8080/x?y=1", "127.0.0.1:8080")
    with pytest.raises(Refused, match="https only"):
        asyncio.run(resolved("http://1.1.1.1/x", ("127.0.0.0/8",)))
    with pytest.raises(Refused, match="not a public address"):
        asyncio.run(resolved("https://10.0.0.1/x", ("127.0.0.0/8",)))


def test_the_connection_goes_to_the_address_that_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name with a public and a private address is called at the public one, by its number."""
    answers = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in ("10.1.1.1", "1.1.1.1")]

    async def look_up(self: Any, host: str, port: int, **_: Any) -> Any:
        assert (host, port) == ("hooks.example.org", 443)
        return answers

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", look_up)
    [target] = asyncio.run(resolved("https://hooks.example.org/x", ()))
    assert (target.url, target.host) == ("https://1.1.1.1:443/x", "hooks.example.org")
    assert target.authority == "hooks.example.org"
