"""Tells the backend that this coordinator is alive, whether it reaches Redis, and which runs it drives."""

import threading
from collections.abc import Callable, Collection
from uuid import UUID, uuid4

import structlog
from ngxlab_contracts.coordination import CoordinatorPulse, HeldLease

from ngxlab_worker.coordinator.lease import Lease
from ngxlab_worker.core.clock import until_all_look
from ngxlab_worker.core.hints import last_asked
from ngxlab_worker.core.settings import CoordinatorSettings
from ngxlab_worker.uplink.api_client import ApiError, CoordinatorClient

INTERVAL_S = 4.0
"""As agents at rest and a backend's loops. A lease lapses nine seconds after the last pulse that named it."""
AGAIN_S = 1.0
"""While the backend does not hear it."""
REACHED_WITHIN_S = 15.0
"""Redis is asked every five seconds; the backend, too, calls one unhealthy that has not reached it for longer."""

log = structlog.get_logger(__name__)


class Pulse:
    """Renews all leases with one request. ``held``: those of the runs that are driven now."""

    def __init__(self, settings: CoordinatorSettings, held: Callable[[], Collection[Lease]]) -> None:
        self._settings = settings
        self._held = held
        self._instance: UUID = uuid4()
        self._is_heard = True

    def start(self, stopping: threading.Event) -> None:
        """In a thread of its own, which ends once ``stopping`` is set."""
        threading.Thread(target=self._beat, args=(stopping,), name="pulse", daemon=True).start()

    def _beat(self, stopping: threading.Event) -> None:
        with CoordinatorClient(self._settings.backend_url, self._settings.token) as client:
            while True:
                try:
                    self._call(client)
                    self._is_heard = True
                except ApiError as error:
                    if self._is_heard:
                        log.warning("the backend does not hear this coordinator", error=str(error))
                    self._is_heard = False
                except Exception:
                    log.exception("the pulse failed; trying again")
                if stopping.wait(self._interval_s()):
                    return

    def _interval_s(self) -> float:
        return until_all_look(INTERVAL_S if self._is_heard else AGAIN_S)

    def _call(self, client: CoordinatorClient) -> None:
        broker_age_s, leases = last_asked.age_s(), self._held()
        named = [HeldLease(run_id=lease.run_id, holder=lease.holder) for lease in leases]
        reply = client.pulse(CoordinatorPulse(instance=self._instance, broker_age_s=broker_age_s, leases=named))
        for lease in leases:
            if lease.run_id in reply.lost:
                lease.give_up()
        if self._settings.heartbeat_file is not None and broker_age_s <= REACHED_WITHIN_S:
            self._settings.heartbeat_file.touch()
