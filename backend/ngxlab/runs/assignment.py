"""From the host ids of a request to the run's slots: every slot filled, addresses only registered ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from uuid import UUID

from ngxlab_contracts.hosts import HostRole, Inventory
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.errors import FieldProblem, Invalid
from ngxlab.experiments.definition import TARGET_SLOT, Definition
from ngxlab.hosts import service as hosts
from ngxlab.hosts.models import Host
from ngxlab.runs.schemas import RunCreate

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Assigned:
    """``address``: where the slot's servers listen."""

    slot: str
    host: Host
    inventory: Inventory
    address: str


async def assign(session: AsyncSession, definition: Definition, request: RunCreate) -> list[Assigned]:
    """Raises Invalid naming each slot without a host, and NotFound for a host that is not registered."""
    chosen = _host_ids(definition, request)
    found = {slot: await hosts.get_registered(session, host_id) for slot, host_id in chosen.items()}
    alone = len({host.id for host in found.values()}) == 1
    assigned, problems = [], []
    for slot, host in found.items():
        inventory = Inventory.model_validate(host.inventory)
        address = LOOPBACK if alone else _address(inventory, request.addresses.get(slot))
        if address is None:
            wanted = request.addresses.get(slot)
            message = (
                f"{host.name} has no address {wanted}" if wanted else f"{host.name} has no address to be reached at"
            )
            problems.append(FieldProblem(field=f"addresses.{slot}", message=message))
            continue
        assigned.append(Assigned(slot, host, inventory, address))
    if problems:
        raise Invalid("; ".join(p.message for p in problems), code="bad-address", errors=problems)
    return assigned


def _host_ids(definition: Definition, request: RunCreate) -> dict[str, UUID]:
    slots = definition.slots
    given: Mapping[str, UUID] = request.hosts
    problems = [
        FieldProblem(field=f"hosts.{slot}", message=f"this experiment has no such slot; it has {', '.join(slots)}")
        for slot in given
        if slot not in slots
    ]
    chosen: dict[str, UUID] = {}
    for slot in slots:
        host_id = given.get(slot, request.host_id)
        if host_id is None:
            problems.append(FieldProblem(field=f"hosts.{slot}", message=f"choose a host for {slot}"))
        else:
            chosen[slot] = host_id
    if problems:
        raise Invalid("; ".join(f"{p.field}: {p.message}" for p in problems), code="bad-hosts", errors=problems)
    return chosen


def _address(inventory: Inventory, wanted: str | None) -> str | None:
    """The wanted address if it is the host's; else its first that others can reach."""
    addresses = [address for nic in inventory.nics for address in nic.addresses]
    if wanted is not None:
        return wanted if wanted in addresses else None
    for text in addresses:
        address = ip_address(text.partition("%")[0].partition("/")[0])
        if address.version == 4 and not (address.is_loopback or address.is_link_local):
            return str(address)
    return None


def roles_of(definition: Definition, slot: str) -> set[HostRole]:
    """What a slot does."""
    roles: set[HostRole] = set()
    if slot == TARGET_SLOT:
        roles.add("target")
    if any(stream.slot == slot for stream in definition.streams):
        roles.add("generator")
    if any(backend.slot == slot for backend in definition.backends):
        roles.add("backend")
    return roles
