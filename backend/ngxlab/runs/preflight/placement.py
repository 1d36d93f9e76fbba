"""Which CPUs the roles of a trial may use if they share a host."""

from collections.abc import Mapping, Sequence
from typing import Literal

from ngxlab.definition.schema.definition import TARGET_SLOT

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
