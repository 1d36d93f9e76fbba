"""Sends a spool's batches to the backend, and passes its orders on to the trial: they come in two ways."""

import threading
import time
from collections.abc import Callable
from uuid import UUID

import structlog
from ngxlab_contracts.trials import TrialControl

from ngxlab_worker.uplink.api_client import AgentClient, ApiRefusedError, ApiUnavailableError, retry_delay_s
from ngxlab_worker.uplink.spool import Spool
from ngxlab_worker.uplink.steering import Steering, TrialStopError

LOOK_S = 1.0
"""How often it looks whether the agent is being stopped."""
LONG_POLL_S = 30.0
UNKNOWN_TRIAL = {404, 410}
BACKLOG_SHARE = 0.015
"""The share of a core that sending a backlog may take while the trial goes on: half an hour in two or three minutes."""

log = structlog.get_logger(__name__)


def send_oldest(client: AgentClient, spool: Spool) -> TrialControl | None:
    """Send the oldest waiting batch, if any, and return the orders that came with its receipt. Raises ``ApiError``."""
    oldest = spool.oldest()
    if oldest is None:
        return None
    receipt = client.send_batch(spool.trial_id, spool.read(oldest))
    spool.acknowledge(receipt.acked_seq)
    return receipt.control


def is_unwanted(client: AgentClient, spool: Spool, refusal: ApiRefusedError) -> bool:
    """Whether the data of a refused batch may be deleted. Raises ``ApiUnavailableError``."""
    unwanted = refusal.status in UNKNOWN_TRIAL or _is_over(client, spool)
    if unwanted:
        log.warning("dropped the refused data of a trial that is over", trial=str(spool.trial_id), error=str(refusal))
    return unwanted


def _is_over(client: AgentClient, spool: Spool) -> bool:
    try:
        return client.control(spool.trial_id).command == "discard"
    except ApiRefusedError as error:
        return error.status in UNKNOWN_TRIAL


class Uploader(threading.Thread):
    """Runs beside a trial until the backend has stored its end or refuses its data, or until :meth:`close`."""

    def __init__(
        self, client: AgentClient, spool: Spool, steering: Steering, agent_stopping: Callable[[], bool]
    ) -> None:
        super().__init__(name="uploader", daemon=True)
        self._client = client
        self._spool = spool
        self._steering = steering
        self._agent_stopping = agent_stopping
        self._wake = threading.Event()
        self._closing = False
        self._refusal: ApiRefusedError | None = None

    def wake(self) -> None:
        self._wake.set()

    def close(self, timeout_s: float) -> None:
        """After the trial: let the upload finish within ``timeout_s``. Data that the backend no longer wants is
        deleted; what could not be sent stays on disk for the caretaker."""
        self.join(timeout_s)
        self._closing = True
        self._wake.set()
        self.join(timeout_s)
        if self._spool.finished or self._is_unwanted():
            self._spool.remove()
        else:
            self._spool.close()

    def run(self) -> None:
        attempt = 0
        while not self._closing:
            if self._agent_stopping():
                self._steering.stop(TrialStopError("failed", "agent-stopped", "the agent was shut down"))
            self._wake.clear()
            try:
                if self._spool.finished:
                    return
                self._exchange()
                attempt = 0
            except ApiRefusedError as error:
                log.error("the backend refused this trial's data", error=str(error))
                self._refusal = error
                self._steering.stop(TrialStopError("cancelled", "refused", f"the backend refused the data: {error}"))
                return
            except Exception as error:  # noqa: BLE001 — logged by _tell
                self._tell(attempt, error)
                self._wake.wait(retry_delay_s(attempt))
                attempt += 1

    @staticmethod
    def _tell(attempt: int, error: Exception) -> None:
        """Log the first of several failures. Whatever it is, the data is kept on disk and sent again."""
        if attempt > 0:
            return
        if isinstance(error, ApiUnavailableError):
            log.warning("backend unavailable, data is kept on disk", error=str(error))
        else:
            log.error("cannot send a trial's data, trying again", error=str(error), exc_info=error)

    def _exchange(self) -> None:
        """Send what waits. Receipts bring orders, too."""
        began_s, used_s = time.monotonic(), time.thread_time()
        control = send_oldest(self._client, self._spool)
        if control is None:
            self._wake.wait(LOOK_S)
            return
        self._steering.update(control)
        if self._spool.oldest() is not None and not self._spool.ended:
            rest_s = (time.thread_time() - used_s) / BACKLOG_SHARE - (time.monotonic() - began_s)
            self._wake.wait(max(0.0, rest_s))

    def _is_unwanted(self) -> bool:
        if self._refusal is None:
            return False
        try:
            return is_unwanted(self._client, self._spool, self._refusal)
        except ApiUnavailableError:
            return False


class Orders(threading.Thread):
    """Waits for orders, in one long request after the other, until there are no more for the trial, or until
    :meth:`close`.

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
