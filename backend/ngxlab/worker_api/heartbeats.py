"""The heartbeats of agents: each records that its host is alive, and brings now and then something to be done.

A host sends one every three or four seconds. Those that arrive at the same time are recorded by one statement, which
also says for which of them something follows: another agent than before, an inventory, trials that have been lost or
come back. That is done host by host, a few at a time.
"""

import asyncio
from functools import partial
from typing import Any
from uuid import UUID

from ngxlab_contracts.hosts import Greeting, Heartbeat
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.audit.acts import Act
from ngxlab.audit.record import Actor, Object, record
from ngxlab.core.coalescing import Coalesced
from ngxlab.core.database import Database
from ngxlab.hosts import broker_users, service
from ngxlab.hosts.models import Host
from ngxlab.runs.watch import lost_trials
from ngxlab.worker_api import repository
from ngxlab.worker_api.access import host_of
from ngxlab.worker_api.repository import ArrivedHeartbeat, NotedHeartbeat

_NEWS_AT_ONCE = 4
"""Each holds a connection to the database. After an outage all hosts have news, and batches must not wait for them."""


class Heartbeats:
    """The heartbeats that arrive at one process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._noted = Coalesced[ArrivedHeartbeat, NotedHeartbeat | None](partial(repository.note_heartbeats, database))
        self._turns = asyncio.Semaphore(_NEWS_AT_ONCE)

    async def take(self, credential: str, beat: Heartbeat | Greeting, address: str) -> UUID | None:
        """Record a heartbeat with all that follows. The run whose trial the host executes. Raises NotSignedIn."""
        noted = None
        if isinstance(beat, Heartbeat):
            noted = await self._noted.ask(ArrivedHeartbeat(credential, beat, address))
        if noted is None or noted.has_news or (isinstance(beat, Heartbeat) and beat.inventory is not None):
            async with self._turns, self._database.transaction() as session:
                await _take_news(session, await host_of(session, credential), beat, credential, address)
        return noted.run_id if noted else None


async def _take_news(
    session: AsyncSession, host: Host, beat: Heartbeat | Greeting, credential: str, address: str
) -> None:
    if isinstance(beat, Greeting):
        service.note_agent(host, beat.agent_instance, beat.agent, address)
        return
    caps = host.inventory.get("caps")
    service.note_heartbeat(host, beat, address)
    if caps != (changed := host.inventory.get("caps")):
        await _record_caps(session, host, changed)
    broker_users.admit(session, host, credential)
    if host.conflict is None:
        await lost_trials.after_restart(session, host, beat)
        await lost_trials.after_silence(session, host, [*filter(None, [beat.active_trial]), *beat.spooled_trials])


async def _record_caps(session: AsyncSession, host: Host, caps: dict[str, Any] | None) -> None:
    """What the host's owner allows has changed."""
    await record(session, actor_of(host), Act.host_caps_changed, object_of(host), caps=caps)


def actor_of(host: Host) -> Actor:
    """The host as who did something, in the audit log."""
    return Actor("host", host.name, host.id)


def object_of(host: Host) -> Object:
    """The host as what something was done to."""
    return Object("host", host.id, host.name)
