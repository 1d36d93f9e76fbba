"""Addresses in classes, so that visitors can be counted without a line for each of them."""

from ipaddress import ip_address, ip_network


def address_class(address: str | None) -> str:
    """``this machine``, ``private network`` or ``internet``; ``unknown`` for what is no address."""
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return "unknown"
    if parsed.is_loopback:
        return "this machine"
    return "private network" if parsed.is_private or parsed.is_link_local else "internet"


def network(address: str | None) -> str:
    """The /24 (IPv4) or /48 (IPv6) of an address: what one stranger usually commands."""
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return "unknown"
    return str(ip_network((parsed, 24 if parsed.version == 4 else 48), strict=False))
