"""Drives runs, trial by trial, as the backend decides. All state is in the backend."""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeVar
from uuid import UUID, uuid4

import structlog
from celery import Celery
from kombu.exceptions import OperationalError
from ngxlab_contracts.coordination import TrialAssignment, TrialStatus
from ngxlab_contracts.queues import TASK_RUN_TRIAL, host_queue

from ngxlab_worker.coordinator.pulse import Lease, Pulse
from ngxlab_worker.core.settings import CoordinatorSettings
from ngxlab_worker.uplink.api_client import ApiRefusedError, ApiUnavailableError, CoordinatorClient

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


LONG_POLL_S = 5.0
"""A coordinator that is stopped waits for such a request, too."""
HINT_LIFE_S = 40
"""Longer than a trial waits to be claimed: a host that comes back later finds no old hints."""


class Coordinator:
    """One a process; :meth:`drive` runs in a thread for each run."""

    def __init__(self, settings: CoordinatorSettings, app: Celery) -> None:
        self._settings = settings
        self._app = app
        self._stopping = threading.Event()
        self._leases: set[Lease] = set()

    def start(self) -> None:
        """Begin to tell the backend that this coordinator is there."""
        Pulse(self._settings, lambda: list(self._leases)).start(self._stopping)

    def stop(self) -> None:
        """Give up all runs; the backend's reconciler gives them to another coordinator."""
        self._stopping.set()
        for lease in list(self._leases):
            lease.give_up()

    @contextmanager
    def _given_up_at_the_end(self, lease: Lease) -> Iterator[None]:
        """Of this coordinator, if that comes meanwhile."""
        self._leases.add(lease)
        if self._stopping.is_set():
            lease.give_up()
        try:
            yield
        finally:
            self._leases.discard(lease)

    def drive(self, run_id: UUID) -> None:
        """Drive ``run_id`` until it is finished, unless another coordinator drives it."""
        holder = uuid4()
        with (
            structlog.contextvars.bound_contextvars(run=str(run_id)),
            CoordinatorClient(self._settings.backend_url, self._settings.token) as client,
        ):
            try:
                Patience(self._stopping).insist(lambda: client.lease(run_id, holder))
            except (ApiRefusedError, LeaseLostError) as error:
                log.info("another coordinator drives this run", reason=str(error))
                return
            with Lease(client, run_id, holder) as lease, self._given_up_at_the_end(lease):
                try:
                    self._drive(client, run_id, holder, Patience(lease.lost))
                except LeaseLostError:
                    log.warning("gave up the run")
                except ApiRefusedError as error:
                    log.error("the backend refused a step; left to the reconciler", error=str(error))

    def _drive(self, client: CoordinatorClient, run_id: UUID, holder: UUID, patience: Patience) -> None:
        while True:
            step = patience.insist(lambda: client.next_step(run_id, holder))
            if step.kind == "finished":
                log.info("run finished", state=step.run_state)
                return
            if step.trial is None:
                if step.run_state != "running":
                    return  # queued or paused: the backend sends another message, and no thread waits for it
                continue
            with structlog.contextvars.bound_contextvars(trial=str(step.trial.trial_id)):
                self._conduct(client, run_id, step.trial, holder, patience)

    def _conduct(
        self, client: CoordinatorClient, run_id: UUID, trial: TrialAssignment, holder: UUID, patience: Patience
    ) -> None:
        """Conduct one trial from dispatch to its end. The backend judges its failures, deadlines included."""
        trial_id = trial.trial_id

        def look(until: Literal["ready", "ended"]) -> TrialStatus:
            return patience.insist(lambda: client.trial(run_id, trial_id, until, LONG_POLL_S))

        status = TrialStatus(trial_id=trial_id, state=trial.state, ready=False, ended=False)
        while not (status.ready or status.ended):
            if status.state == "dispatched":
                self._dispatch(trial)
            status = look("ready")
        if not status.ended:
            try:
                patience.insist(lambda: client.start(trial_id, holder))
            except ApiRefusedError as error:
                log.info("trial not started", reason=str(error))  # it has ended meanwhile, or is already running
        while not status.ended:
            status = look("ended")

    def _dispatch(self, trial: TrialAssignment) -> None:
        """Send the trial's id to its hosts. Repeated until a host has claimed it; a second message does no harm."""
        for host_id in trial.host_ids:
            try:
                self._app.send_task(
                    TASK_RUN_TRIAL, args=[str(trial.trial_id)], queue=host_queue(host_id), expires=HINT_LIFE_S
                )
            except OperationalError as error:
                log.warning("broker unavailable", error=str(error))
