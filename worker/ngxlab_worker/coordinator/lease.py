"""The lease of a run, kept alive while a coordinator drives it."""

import threading
from uuid import UUID

import structlog

from ngxlab_worker.uplink.api_client import ApiRefusedError, ApiUnavailableError, CoordinatorClient

log = structlog.get_logger(__name__)


class Lease:
    """Renews a run's lease in the background. Entering it gives an event, which is set once the lease is lost."""

    def __init__(
        self, client: CoordinatorClient, run_id: UUID, holder: UUID, ttl_s: float, stopping: threading.Event
    ) -> None:
        self._client = client
        self._run_id = run_id
        self._holder = holder
        self._interval_s = ttl_s / 3
        self._stopping = stopping
        self._lost = threading.Event()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._renew, name=f"lease-{run_id}", daemon=True)

    def __enter__(self) -> threading.Event:
        self._thread.start()
        return self._lost

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        try:
            self._client.release(self._run_id, self._holder)
        except (ApiUnavailableError, ApiRefusedError) as error:
            log.info("lease not released: it will expire", reason=str(error))

    def _renew(self) -> None:
        until_renewal = self._interval_s
        while not self._done.wait(min(0.2, until_renewal)):
            if self._stopping.is_set():
                self._lost.set()
                return
            until_renewal -= 0.2
            if until_renewal > 0:
                continue
            until_renewal = self._interval_s
            try:
                self._client.lease(self._run_id, self._holder)
            except ApiUnavailableError:
                continue  # the lease may expire meanwhile: then the backend decides who drives the run
            except ApiRefusedError as error:
                log.warning("lease lost", reason=str(error))
                self._lost.set()
                return
            except Exception:
                log.exception("lease not renewed; trying again")
