"""The leases of the runs that a coordinator drives, and the pulse that renews them and says if Redis is reached."""

import threading
from collections.abc import Callable, Collection
from typing import Self
from uuid import UUID, uuid4

import structlog
from ngxlab_contracts.coordination import CoordinatorPulse, HeldLease

from ngxlab_worker.core.clock import aligned_rest_s
from ngxlab_worker.core.hints import SILENT_AFTER_S, broker_contact
from ngxlab_worker.core.settings import CoordinatorSettings
from ngxlab_worker.uplink.api_client import ApiError, ApiRefusedError, ApiUnavailableError, CoordinatorClient

log = structlog.get_logger(__name__)


class Lease:
    """The lease of a run, taken already. Each :class:`Pulse` renews it until ``lost`` is set: refused, or given up."""

    def __init__(self, client: CoordinatorClient, run_id: UUID, holder: UUID) -> None:
        self.lost = threading.Event()
        self.run_id = run_id
        self.holder = holder
        self._client = client

    def give_up(self) -> None:
        """Drive the run no longer. From any thread."""
        self.lost.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._client.release(self.run_id, self.holder)
        except (ApiUnavailableError, ApiRefusedError) as error:
            log.info("lease not released: it will expire", reason=str(error))


INTERVAL_S = 4.0
"""As agents at rest and a backend's loops. A lease lapses nine seconds after the last pulse that named it."""
AGAIN_S = 1.0
"""While the backend does not hear it."""


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
        return aligned_rest_s(INTERVAL_S if self._is_heard else AGAIN_S)

    def _call(self, client: CoordinatorClient) -> None:
        broker_age_s, leases = broker_contact.age_s(), self._held()
        named = [HeldLease(run_id=lease.run_id, holder=lease.holder) for lease in leases]
        reply = client.pulse(CoordinatorPulse(instance=self._instance, broker_age_s=broker_age_s, leases=named))
        for lease in leases:
            if lease.run_id in reply.lost:
                lease.give_up()
        if self._settings.heartbeat_file is not None and broker_age_s <= SILENT_AFTER_S:
            self._settings.heartbeat_file.touch()
