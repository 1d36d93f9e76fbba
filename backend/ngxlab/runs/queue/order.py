"""Which queued runs may start now, and what each of the others waits for. Pure.

First come, first served, host by host. A run that misses a host holds nobody up.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from ngxlab_contracts.sentences import say


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
            found[run.id] = Wait(
                say("Waits for host {host}: it {reason}.", host=missing.name, reason=missing.refusal or "")
            )
            continue
        ahead: set[UUID] = set().union(*(waiting_for[host.id] for host in run.hosts))
        held = next((host for host in run.hosts if host.id in holders and holders[host.id].run_id != run.id), None)
        place = len(ahead) + 1
        if held is not None:
            holder = holders[held.id]
            reason = _behind(say("Waits for host {host}: {run} uses it.", host=held.name, run=holder.name), ahead)
            found[run.id] = Wait(reason, place, holder.run_id)
        elif ahead:
            found[run.id] = Wait(_behind(say("Waits for its turn."), ahead), place)
        for host in run.hosts:
            waiting_for[host.id].add(run.id)
    return found


def _behind(reason: str, runs: set[UUID]) -> str:
    match len(runs):
        case 0:
            return reason
        case 1:
            return say("{reason} 1 run is ahead in the queue of its hosts.", reason=reason)
        case count:
            return say("{reason} {count} runs are ahead in the queue of its hosts.", reason=reason, count=count)
