"""Repeats requests while the backend cannot be reached, for as long as the lease is held."""

import random
import threading
from collections.abc import Callable
from typing import TypeVar

import structlog

from ngxlab_worker.uplink.api_client import ApiUnavailableError

LONGEST_RETRY_S = 3.0

log = structlog.get_logger(__name__)

_Answer = TypeVar("_Answer")


class LeaseLostError(Exception):
    """This coordinator no longer holds the run's lease."""


class Patience:
    """Repeats a request that does not reach the backend, until ``lost`` is set."""

    def __init__(self, lost: threading.Event) -> None:
        self._lost = lost

    def insist(self, action: Callable[[], _Answer]) -> _Answer:
        """The answer. Raises ``ApiRefusedError``, and ``LeaseLostError`` once ``lost`` is set."""
        attempt = 0
        while True:
            if self._lost.is_set():
                raise LeaseLostError
            try:
                return action()
            except ApiUnavailableError as error:
                if attempt == 0:
                    log.warning("backend unavailable", error=str(error))
                longest = min(LONGEST_RETRY_S, 0.2 * 1.6 ** min(attempt, 20))
                self._lost.wait(random.uniform(longest / 2, longest))  # noqa: S311 — spread, not secrecy
                attempt += 1
