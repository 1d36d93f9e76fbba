"""A host's stored inventory as a model."""

from ngxlab_contracts.hosts import Inventory

from ngxlab.core.stored_json import read, read_or_none
from ngxlab.hosts.models import Host


def inventory_of(host: Host) -> Inventory:
    """Raises Unreadable, with the host's name."""
    return read(Inventory, host.inventory, _what(host))


def inventory_or_none(host: Host) -> Inventory | None:
    """For one host of many."""
    return read_or_none(Inventory, host.inventory, _what(host))


def _what(host: Host) -> str:
    return f"The inventory of {host.name}"
