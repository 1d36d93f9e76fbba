"""Which queued runs may start now, and what each of the others waits for. Pure.

First come, first served, host by host. A run that misses a host holds nobody up.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID


class QueuedHost(NamedTuple):
    """``refusal``: why the host takes no new run now, as what follows its name."""

    id: UUID
    name: str
    refusal: str | None


class QueuedRun(NamedTuple):
    id: UUID
    hosts: tuple[QueuedHost, ...]


class Holder(NamedTuple):
    """The run that uses a host, and what people call it."""

    run_id: UUID
    name: str


class Wait(NamedTuple):
    """Why a queued run does not start. ``place``: in the queue of its hosts, from 1; ``None`` where one is missing.

    ``held_by``: the run that uses one of its hosts.
    """

    reason: str
    place: int | None = None
    held_by: UUID | None = None


def waits(queue: Sequence[QueuedRun], holders: Mapping[UUID, Holder]) -> dict[UUID, Wait]:
    """What each run of the queue (oldest first) waits for. Those left out may start. ``holders``: by host."""
    found: dict[UUID, Wait] = {}
    waiting_for: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for run in queue:
        missing = next((host for host in run.hosts if host.refusal is not None), None)
        if missing is not None:
            found[run.id] = Wait(f"Waits for host {missing.name}: it {missing.refusal}.")
            continue
        ahead: set[UUID] = set().union(*(waiting_for[host.id] for host in run.hosts))
        held = next((host for host in run.hosts if host.id in holders and holders[host.id].run_id != run.id), None)
        place = len(ahead) + 1
        if held is not None:
            holder = holders[held.id]
            reason = f"Waits for host {held.name}: {holder.name} uses it.{_ahead(ahead)}"
            found[run.id] = Wait(reason, place, holder.run_id)
        elif ahead:
            found[run.id] = Wait(f"Waits for its turn.{_ahead(ahead)}", place)
        for host in run.hosts:
            waiting_for[host.id].add(run.id)
    return found


def _ahead(runs: set[UUID]) -> str:
    if not runs:
        return ""
    return f" {len(runs)} {'run is' if len(runs) == 1 else 'runs are'} ahead in the queue of its hosts."
