"""Where this host may send load, and at which addresses its servers may listen."""

import socket
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
    ip_address,
    ip_interface,
    ip_network,
)

import psutil

Network = IPv4Network | IPv6Network
LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


@dataclass(frozen=True)
class Reach:
    """``own``: this host's addresses. ``networks``: what else it may send load to; it always may to itself."""

    own: frozenset[IPv4Address | IPv6Address]
    networks: tuple[Network, ...]

    @classmethod
    def of_this_host(cls, allowed: Sequence[str] | None) -> "Reach":
        """``allowed``: the owner's list. Without one: the private networks that this host is itself part of, so that a
        laboratory works as it is, and nothing of the Internet can be loaded."""
        interfaces = list(_interfaces())
        networks = _private(interfaces) if allowed is None else [ip_network(one) for one in allowed]
        return cls(frozenset(interface.ip for interface in interfaces), tuple(dict.fromkeys(networks)))

    def named(self) -> list[str]:
        return [str(network) for network in self.networks]

    def refusal(self, address: str) -> str | None:
        """Why no load may be sent to ``address``, or ``None``."""
        target = ip_address(address)
        if self._is_here(target) or any(target in network for network in self.networks):
            return None
        allowed = ", ".join(["itself", *self.named()])
        return f"{address}: the owner of this host allows load to {allowed} only (allow_targets)"

    def foreign(self, address: str) -> str | None:
        """Why no server of this host may listen at ``address``, or ``None``."""
        try:
            if self._is_here(ip_address(address)):
                return None
        except ValueError:
            pass
        return f"{address} is not an address of this host"

    def _is_here(self, address: IPv4Address | IPv6Address) -> bool:
        return address in self.own or is_loopback(address)


def is_loopback(address: str | IPv4Address | IPv6Address) -> bool:
    return any(ip_address(address) in network for network in LOOPBACK)


def _interfaces() -> Iterator[IPv4Interface | IPv6Interface]:
    for addresses in psutil.net_if_addrs().values():
        for one in addresses:
            if one.family in {socket.AF_INET, socket.AF_INET6}:
                text = one.address.partition("%")[0]
                yield ip_interface(f"{text}/{_prefix(one.netmask, text)}")


def _prefix(netmask: str | None, address: str) -> int:
    """The length of a mask, which psutil writes as an address; without one, the address alone."""
    whole = 128 if ":" in address else 32
    if netmask is None:
        return whole
    return int(ip_address(netmask.partition("/")[0])).bit_count()


def _private(interfaces: Iterable[IPv4Interface | IPv6Interface]) -> list[Network]:
    return [
        one.network for one in interfaces if one.network.is_private and not (one.ip.is_loopback or one.ip.is_link_local)
    ]
