"""Drives runs, trial by trial, as the backend decides. All state is in the backend."""

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Literal, Self, TypeVar
from uuid import UUID, uuid4

import structlog
from celery import Celery
from kombu.exceptions import OperationalError
from ngxlab_contracts.broker import TASK_RUN_TRIAL, host_queue
from ngxlab_contracts.coordination import CoordinatorPulse, HeldLease, TrialAssignment, TrialStatus

from ngxlab_worker.core.clock import aligned_rest_s
from ngxlab_worker.core.hints import SILENT_AFTER_S, broker_contact
from ngxlab_worker.core.settings import CoordinatorSettings
from ngxlab_worker.uplink.api_client import (
    ApiError,
    ApiRefusedError,
    ApiUnavailableError,
    CoordinatorClient,
    retry_delay_s,
)

log = structlog.get_logger(__name__)

_Answer = TypeVar("_Answer")


class LeaseLostError(Exception):
    """This coordinator no longer holds the run's lease."""


def _insist(lost: threading.Event, action: Callable[[], _Answer]) -> _Answer:
    """Repeat a request that does not reach the backend. Raises ``ApiRefusedError``, and ``LeaseLostError`` once
    ``lost`` is set."""
    for attempt in count():
        if lost.is_set():
            break
        try:
            return action()
        except ApiUnavailableError as error:
            if attempt == 0:
                log.warning("backend unavailable", error=str(error))
            lost.wait(retry_delay_s(attempt))
    raise LeaseLostError


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
                if stopping.wait(aligned_rest_s(INTERVAL_S if self._is_heard else AGAIN_S)):
                    return

    def _call(self, client: CoordinatorClient) -> None:
        broker_age_s, leases = broker_contact.age_s(), self._held()
        named = [HeldLease(run_id=lease.run_id, holder=lease.holder) for lease in leases]
        reply = client.pulse(CoordinatorPulse(instance=self._instance, broker_age_s=broker_age_s, leases=named))
        for lease in leases:
            if lease.run_id in reply.lost:
                lease.give_up()
        if self._settings.heartbeat_file is not None and broker_age_s <= SILENT_AFTER_S:
            self._settings.heartbeat_file.touch()


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
        Pulse(self._settings, lambda: list(self._leases)).start(self._stopping)

    def stop(self) -> None:
        """Give up all runs; the backend's reconciler gives them to another coordinator."""
        self._stopping.set()
        for lease in list(self._leases):
            lease.give_up()

    @contextmanager
    def _given_up_at_the_end(self, lease: Lease) -> Iterator[None]:
        """Should this coordinator end meanwhile."""
        self._leases.add(lease)
        if self._stopping.is_set():
            lease.give_up()
        try:
            yield
        finally:
            self._leases.discard(lease)

    def drive(self, run_id: UUID) -> None:
        holder = uuid4()
        with (
            structlog.contextvars.bound_contextvars(run=str(run_id)),
            CoordinatorClient(self._settings.backend_url, self._settings.token) as client,
        ):
            try:
                _insist(self._stopping, lambda: client.lease(run_id, holder))
            except (ApiRefusedError, LeaseLostError) as error:
                log.info("another coordinator drives this run", reason=str(error))
                return
            with Lease(client, run_id, holder) as lease, self._given_up_at_the_end(lease):
                try:
                    self._drive(client, lease)
                except LeaseLostError:
                    log.warning("gave up the run")
                except ApiRefusedError as error:
                    log.error("the backend refused a step; left to the reconciler", error=str(error))

    def _drive(self, client: CoordinatorClient, lease: Lease) -> None:
        while True:
            step = _insist(lease.lost, lambda: client.next_step(lease.run_id, lease.holder))
            if step.kind == "finished":
                log.info("run finished", state=step.run_state)
                return
            if step.trial is None:
                if step.run_state != "running":
                    return  # queued or paused: the backend sends another message, and no thread waits for it
                continue
            with structlog.contextvars.bound_contextvars(trial=str(step.trial.trial_id)):
                self._conduct(client, lease, step.trial)

    def _conduct(self, client: CoordinatorClient, lease: Lease, trial: TrialAssignment) -> None:
        """Conduct one trial from dispatch to its end. The backend judges its failures, deadlines included."""
        trial_id = trial.trial_id

        def look(until: Literal["ready", "ended"]) -> TrialStatus:
            return _insist(lease.lost, lambda: client.trial(lease.run_id, trial_id, until, LONG_POLL_S))

        status = TrialStatus(trial_id=trial_id, state=trial.state, ready=False, ended=False)
        while not (status.ready or status.ended):
            if status.state == "dispatched":
                self._dispatch(trial)
            status = look("ready")
        if not status.ended:
            try:
                _insist(lease.lost, lambda: client.start(trial_id, lease.holder))
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
