"""Tells the backend that this host is alive, and learns the backend's clock from the answer."""

import contextlib
from uuid import UUID

import structlog
from ngxlab_contracts.hosts import BrokerTrouble, Heartbeat, Inventory

from ngxlab_worker.agent.shared_state import SharedState
from ngxlab_worker.agent.this_host import identify_agent
from ngxlab_worker.core.clock import HostClock, OffsetEstimator, exchange, monotonic_us
from ngxlab_worker.core.files import disk_trouble
from ngxlab_worker.core.hints import broker_contact
from ngxlab_worker.core.settings import AgentSettings
from ngxlab_worker.uplink.api_client import AgentClient, ApiError
from ngxlab_worker.uplink.spool import Spool

TRIAL_INTERVAL_S = 3.0
"""During a trial: the answer says whether somebody looks at it."""
AGAIN_S = 2.0
"""While the backend does not hear it."""
REST_INTERVAL_S = 4.0
"""A host is offline after eight seconds of silence. One may be lost on its way: the next then comes sooner."""
ANSWERED = "heartbeat"
"""A file in the agent's folder, as old as the last answered heartbeat: for those who watch the process."""

log = structlog.get_logger(__name__)


class Heart:
    """Call :meth:`beat`, and again after :meth:`interval_s`. An inventory is sent until a heartbeat was answered."""

    def __init__(
        self, settings: AgentSettings, client: AgentClient, shared: SharedState, instance: UUID, inventory: Inventory
    ) -> None:
        self._settings = settings
        self._client = client
        self._shared = shared
        self._instance = instance
        self._inventory: Inventory | None = inventory
        self._identity = identify_agent()
        self._estimator = OffsetEstimator()
        self._reachable = True

    def tell(self, inventory: Inventory) -> None:
        """Send ``inventory`` with the next heartbeat. From any thread."""
        self._inventory = inventory

    def interval_s(self) -> float:
        if not self._reachable:
            return AGAIN_S
        return REST_INTERVAL_S if self._shared.active_trial() is None else TRIAL_INTERVAL_S

    def beat(self) -> None:
        """Exchange one heartbeat. A failure has no consequence; the first of several is logged."""
        clock, known = HostClock.anchored_now(), self._shared.offset()
        active = self._shared.active_trial()
        spooled = Spool.trials(self._settings.spool_root)
        inventory = self._inventory
        heartbeat = Heartbeat(
            agent_instance=self._instance,
            sent_at_us=clock.now_us(),
            clock_offset_us=known.against(clock) if known else None,
            clock_rtt_us=known.rtt_us if known else None,
            active_trial=active,
            spooled_trials=[trial_id for trial_id in spooled if trial_id != active],
            inventory=inventory,
            agent=self._identity,
            broker_trouble=_broker_trouble(),
            disk_trouble=disk_trouble(self._settings.folder),
        )
        sent_us = monotonic_us()
        try:
            reply = self._client.heartbeat(heartbeat)
        except ApiError as error:
            if self._reachable:
                log.error("heartbeat failed", error=str(error))
            self._reachable = False
            return
        received_us = monotonic_us()
        if not self._reachable:
            log.info("heartbeat works again")
        self._reachable = True
        if self._inventory is inventory:
            self._inventory = None
        with contextlib.suppress(OSError):  # a full disk
            (self._settings.folder / ANSWERED).touch()
        self._shared.set_collect_s(reply.collect_s)
        self._shared.set_offset(self._estimator.add(exchange(sent_us, reply, received_us)))


def _broker_trouble() -> BrokerTrouble | None:
    reason = broker_contact.trouble()
    return None if reason is None else BrokerTrouble(reason=reason, for_s=broker_contact.age_s())
