"""The lease of a run, for as long as a coordinator drives it."""

import threading
from typing import Self
from uuid import UUID

import structlog

from ngxlab_worker.uplink.api_client import ApiRefusedError, ApiUnavailableError, CoordinatorClient

log = structlog.get_logger(__name__)


class Lease:
    """Taken already, and renewed by each :mod:`pulse`, until ``lost`` is set: it was refused or given up."""

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
