"""The lease of a run, kept alive while a coordinator drives it."""

import threading
from typing import Self
from uuid import UUID

import structlog

from ngxlab_worker.uplink.api_client import ApiRefusedError, ApiUnavailableError, CoordinatorClient

log = structlog.get_logger(__name__)


class Lease:
    """Renews a run's lease in the background, until ``lost`` is set: it was refused or given up."""

    def __init__(self, client: CoordinatorClient, run_id: UUID, holder: UUID, ttl_s: float) -> None:
        self.lost = threading.Event()
        self._client = client
        self._run_id = run_id
        self._holder = holder
        self._interval_s = ttl_s / 3
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._renew, name=f"lease-{run_id}", daemon=True)

    def give_up(self) -> None:
        """Drive the run no longer. From any thread."""
        self.lost.set()
        self._over.set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        try:
            self._client.release(self._run_id, self._holder)
        except (ApiUnavailableError, ApiRefusedError) as error:
            log.info("lease not released: it will expire", reason=str(error))

    def _renew(self) -> None:
        while not self._over.wait(self._interval_s):
            try:
                self._client.lease(self._run_id, self._holder)
            except ApiUnavailableError:
                continue  # the lease may expire meanwhile: then the backend decides who drives the run
            except ApiRefusedError as error:
                log.warning("lease lost", reason=str(error))
                self.lost.set()
                return
            except Exception:
                log.exception("lease not renewed; trying again")
