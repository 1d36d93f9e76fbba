"""Drives runs, trial by trial, as the backend decides. Straight-line code; nothing is kept here."""

import random
import threading
from collections.abc import Callable
from typing import TypeVar
from uuid import UUID, uuid4

import structlog
from celery import Celery
from kombu.exceptions import OperationalError
from ngxlab_contracts.coordination import TrialAssignment, TrialStatus
from ngxlab_contracts.queues import TASK_RUN_TRIAL, host_queue

from ngxlab_worker.api_client import ApiRefusedError, ApiUnavailableError, CoordinatorClient
from ngxlab_worker.settings import CoordinatorSettings

LONG_POLL_S = 5.0
LONGEST_RETRY_S = 3.0

log = structlog.get_logger(__name__)

_Answer = TypeVar("_Answer")


class LeaseLostError(Exception):
    """Somebody else drives this run now, or nobody should."""


class Coordinator:
    """One for a process; :meth:`drive` runs in one thread a run."""

    def __init__(self, settings: CoordinatorSettings, app: Celery) -> None:
        self._settings = settings
        self._app = app
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Let go of all runs; the backend's reconciler finds them another coordinator."""
        self._stopping.set()

    def drive(self, run_id: UUID) -> None:
        """Drive ``run_id`` until it is finished, unless somebody else does."""
        holder = uuid4()
        with (
            structlog.contextvars.bound_contextvars(run=str(run_id)),
            CoordinatorClient(self._settings.backend_url, self._settings.token) as client,
        ):
            try:
                grant = _Patience(self._stopping).insist(lambda: client.lease(run_id, holder))
            except (ApiRefusedError, LeaseLostError) as error:
                log.info("run is not ours to drive", reason=str(error))
                return
            with _Lease(client, run_id, holder, grant.ttl_s, self._stopping) as lost:
                try:
                    self._drive(client, run_id, holder, _Patience(lost))
                except LeaseLostError:
                    log.warning("let go of the run")
                except ApiRefusedError as error:
                    log.error("the backend refused a step; left to the reconciler", error=str(error))

    def _drive(self, client: CoordinatorClient, run_id: UUID, holder: UUID, patience: "_Patience") -> None:
        while True:
            step = patience.insist(lambda: client.next_step(run_id, holder))
            if step.kind == "finished":
                log.info("run finished", state=step.run_state)
                return
            if step.trial is None:
                if step.run_state != "running":
                    return  # queued or paused: the backend calls again, and no thread is held meanwhile
                continue
            with structlog.contextvars.bound_contextvars(trial=str(step.trial.trial_id)):
                self._conduct(client, step.trial, holder, patience)

    def _conduct(self, client: CoordinatorClient, trial: TrialAssignment, holder: UUID, patience: "_Patience") -> None:
        """One trial from dispatch to its end. Its failures are the backend's to judge, deadlines included."""
        trial_id = trial.trial_id

        def look(until: str) -> TrialStatus:
            return patience.insist(lambda: client.trial(trial_id, until, LONG_POLL_S))

        status = TrialStatus(trial_id=trial_id, state=trial.state, ready=False, ended=False)
        while not (status.ready or status.ended):
            if status.state == "dispatched":
                self._dispatch(trial)
            status = look("ready")
        if not status.ended:
            try:
                patience.insist(lambda: client.start(trial_id, holder))
            except ApiRefusedError as error:
                log.info("trial not started", reason=str(error))  # it ended meanwhile, or runs already
        while not status.ended:
            status = look("ended")

    def _dispatch(self, trial: TrialAssignment) -> None:
        """Tell the hosts; sent again as long as nobody has claimed the trial, which is harmless."""
        for host_id in trial.host_ids:
            try:
                self._app.send_task(TASK_RUN_TRIAL, args=[str(trial.trial_id)], queue=host_queue(host_id))
            except OperationalError as error:
                log.warning("broker unavailable", error=str(error))


class _Patience:
    """Repeats what fails for want of a backend, until ``lost`` is set."""

    def __init__(self, lost: threading.Event) -> None:
        self._lost = lost

    def insist(self, action: Callable[[], _Answer]) -> _Answer:
        """Raises ``ApiRefusedError``, and ``LeaseLostError`` as soon as the lease is gone."""
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


class _Lease:
    """Renews a run's lease in the background. The event it gives is set when the run is no longer ours to drive."""

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
            log.info("lease not released: it will lapse", reason=str(error))

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
                continue  # the lease may lapse meanwhile; the backend decides then
            except ApiRefusedError as error:
                log.warning("lease lost", reason=str(error))
                self._lost.set()
                return
