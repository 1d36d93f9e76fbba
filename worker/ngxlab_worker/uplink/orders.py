"""Waits for the backend's orders to a running trial, in one long request after the other."""

import threading
from collections.abc import Callable
from uuid import UUID

import structlog

from ngxlab_worker.uplink.api_client import AgentClient, ApiRefusedError, retry_delay_s
from ngxlab_worker.uplink.steering import Steering

LONG_POLL_S = 30.0

log = structlog.get_logger(__name__)


class Orders(threading.Thread):
    """Runs beside a trial until there are no more orders for it, or until :meth:`close`.

    So an order arrives at once, however rarely the trial reports. ``connect`` makes a client of its own: nobody waits
    for the last request, and another thread must not close what it reads from.
    """

    def __init__(self, connect: Callable[[], AgentClient], trial_id: UUID, steering: Steering) -> None:
        super().__init__(name="orders", daemon=True)
        self._connect = connect
        self._trial_id = trial_id
        self._steering = steering
        self._closed = threading.Event()

    def close(self) -> None:
        """The trial is over."""
        self._closed.set()

    def run(self) -> None:
        failures = 0
        with self._connect() as client:
            while not self._closed.is_set():
                try:
                    control = client.control(self._trial_id, LONG_POLL_S, self._steering.revision)
                    failures = 0
                except ApiRefusedError:
                    return  # the uploader is told the same, and says so
                except Exception as error:  # noqa: BLE001 — the uploader tells of a backend that is away
                    log.debug("no orders", error=str(error))
                    self._closed.wait(retry_delay_s(failures))
                    failures += 1
                    continue
                if self._closed.is_set():
                    return
                self._steering.update(control)
                if control.command != "continue":
                    return
