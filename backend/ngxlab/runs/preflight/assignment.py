"""Slots of a run from its request: every slot has a host, every address is registered, every build has a binary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Literal
from uuid import UUID

from ngxlab_contracts.hosts import Capability, HostRole, Inventory, NginxBinary
from ngxlab_contracts.sentences import say
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.errors import FieldProblem, Invalid, invalid
from ngxlab.definition.builds import bind
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.hosts import service as hosts
from ngxlab.hosts.models import Host, inventory_of
from ngxlab.runs.schemas import RunCreate

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Assigned:
    """``address``: where the slot's servers listen. ``inventory``: the nginx that the slot runs comes first.

    ``builds``: the binary of each build that arms name, by path; only of the target.
    """

    slot: str
    host: Host
    inventory: Inventory
    address: str
    builds: Mapping[str, str] = field(default_factory=dict)

    def capability(self, name: str) -> Capability | None:
        return next((one for one in self.inventory.capabilities if one.name == name), None)

    def nginx(self, build: str | None) -> NginxBinary | None:
        """What an arm of this build runs; None where the host has no nginx."""
        path = self.builds.get(build or "")
        return next((binary for binary in self.inventory.nginx if path in {None, binary.path}), None)


async def assign(session: AsyncSession, definition: Definition, request: RunCreate) -> list[Assigned]:
    """Raises Invalid naming each slot without a host and each build that a host has not, and NotFound for a host that
    is not registered."""
    chosen = _host_ids(definition, request)
    registered = {slot: await hosts.get_registered(session, host_id) for slot, host_id in chosen.items()}
    alone = len({host.id for host in registered.values()}) == 1
    assigned, problems = [], _unknown_names(definition, request)
    for slot, host in registered.items():
        builds = definition.builds if slot == TARGET_SLOT else []
        try:
            assigned.append(_assigned(slot, host, request, builds, alone=alone))
        except Invalid as error:
            problems += error.errors
    if problems:
        raise Invalid("; ".join(p.message for p in problems), code="bad-hosts", errors=problems)
    return assigned


def _unknown_names(definition: Definition, request: RunCreate) -> list[FieldProblem]:
    known = [*definition.slots, *definition.named_builds]
    message = say("this experiment has no such slot or build; it has {known}", known=", ".join(known))
    return [FieldProblem(field=f"nginx.{name}", message=message) for name in request.nginx if name not in known]


def _assigned(slot: str, host: Host, request: RunCreate, builds: Sequence[str], *, alone: bool) -> Assigned:
    """Raises Invalid if the host lacks what the request asks for. ``alone``: no other host takes part."""
    inventory = inventory_of(host)
    bound = bind(host.name, inventory.nginx, builds, request.nginx)
    if (wanted := request.nginx.get(slot)) is not None:
        path = bind(host.name, inventory.nginx, [slot], {slot: wanted})[slot]
        leading = sorted(inventory.nginx, key=lambda binary: binary.path != path)
        inventory = inventory.model_copy(update={"nginx": leading})
    wanted = request.addresses.get(slot)
    address = LOOPBACK if alone else _address(inventory, wanted)
    if address is None:
        what = say("address {wanted}", wanted=wanted) if wanted else say("address that other hosts can reach")
        raise invalid(f"addresses.{slot}", say("{host} has no {what}", host=host.name, what=what))
    return Assigned(slot, host, inventory, address, bound)


def _host_ids(definition: Definition, request: RunCreate) -> dict[str, UUID]:
    slots = definition.slots
    given: Mapping[str, UUID] = request.hosts
    problems = [
        FieldProblem(
            field=f"hosts.{slot}",
            message=say("this experiment has no such slot; it has {slots}", slots=", ".join(slots)),
        )
        for slot in given
        if slot not in slots
    ]
    chosen: dict[str, UUID] = {}
    for slot in slots:
        host_id = given.get(slot, request.host_id)
        if host_id is None:
            problems.append(FieldProblem(field=f"hosts.{slot}", message=say("choose a host for {slot}", slot=slot)))
        else:
            chosen[slot] = host_id
    if problems:
        raise Invalid("; ".join(f"{p.field}: {p.message}" for p in problems), code="bad-hosts", errors=problems)
    return chosen


def _address(inventory: Inventory, wanted: str | None) -> str | None:
    """The wanted address if it belongs to the host; without one, the first that other hosts can reach."""
    addresses = [address for nic in inventory.nics for address in nic.addresses]
    if wanted is not None:
        return wanted if wanted in addresses else None
    for text in addresses:
        address = ip_address(text.partition("%")[0].partition("/")[0])
        if address.version == 4 and not (address.is_loopback or address.is_link_local):
            return str(address)
    return None


def roles_of(definition: Definition, slot: str) -> set[HostRole]:
    """The roles of a slot: what its host does."""
    roles: set[HostRole] = set()
    if slot == TARGET_SLOT:
        roles.add("target")
    if any(stream.slot == slot for stream in definition.streams):
        roles.add("generator")
    if any(upstream.slot == slot for upstream in definition.upstream_servers):
        roles.add("upstream")
    return roles


MIN_CPUS_TO_SPLIT = 4
"""With fewer CPUs, splitting them costs each role more than sharing does, so they are shared and the report says so."""

Placement = Literal["auto", "none"] | Mapping[str, str]


def cpus_of_slots(
    placement: Placement, hosts_of_slots: Mapping[str, str], cpus_of_hosts: Mapping[str, int]
) -> dict[str, str | None]:
    """The CPU list of each slot, ``None`` for all CPUs.

    ``auto``: on a host that plays the target and something else, and has at least four CPUs, nginx gets the first half
    and the others share the second. ``hosts_of_slots`` maps slot to host, ``cpus_of_hosts`` host to number of CPUs.
    """
    if placement == "none":
        return dict.fromkeys(hosts_of_slots)
    if not isinstance(placement, str):
        return {slot: placement.get(slot) for slot in hosts_of_slots}
    target_host = hosts_of_slots[TARGET_SLOT]
    sharing = [slot for slot, host in hosts_of_slots.items() if host == target_host and slot != TARGET_SLOT]
    cpus = cpus_of_hosts[target_host]
    lists: dict[str, str | None] = dict.fromkeys(hosts_of_slots)
    if sharing and cpus >= MIN_CPUS_TO_SPLIT:
        lists[TARGET_SLOT] = _span(range(cpus // 2))
        lists |= dict.fromkeys(sharing, _span(range(cpus // 2, cpus)))
    return lists


def _span(cpus: Sequence[int]) -> str:
    return f"{cpus[0]}-{cpus[-1]}" if len(cpus) > 1 else str(cpus[0])


def beyond(cpu_list: str, cpus: int) -> bool:
    """Whether a kernel CPU list names a CPU that a host with ``cpus`` CPUs does not have."""
    named = [int(end) for span in cpu_list.split(",") for end in span.split("-")]
    return max(named) >= cpus
