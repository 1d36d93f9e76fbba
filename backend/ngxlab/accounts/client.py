"""Where a request comes from, as far as people want to know it of their sessions."""

from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from fastapi import Request

DEVICE_COOKIE = "ngxlab_device"
_MAX_USER_AGENT, _MAX_ADDRESS = 300, 64
_SITE_PREFIX_BITS = 64
"""A customer gets at least such a network of IPv6 addresses, and may choose addresses from it at will."""


@dataclass(frozen=True)
class Client:
    """``address``: of the connection, or as a trusted proxy tells it. ``user_agent``: what the program calls itself.

    ``device``: the cookie by which the browser is known (``devices``).
    """

    address: str
    user_agent: str | None = None
    device: str | None = None

    @property
    def site(self) -> str:
        """The address, or the IPv6 network, for which attempts are counted together."""
        try:
            address = ip_address(self.address)
        except ValueError:
            return self.address
        if not isinstance(address, IPv6Address):
            return str(address)
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return f"{IPv6Address(int(address) >> (128 - _SITE_PREFIX_BITS) << (128 - _SITE_PREFIX_BITS))}/64"


def client_of(request: Request) -> Client:
    agent = "".join(c for c in request.headers.get("User-Agent", "") if c.isprintable())[:_MAX_USER_AGENT]
    address = request.client.host[:_MAX_ADDRESS] if request.client else "unknown"
    return Client(address, agent or None, request.cookies.get(DEVICE_COOKIE) or None)
