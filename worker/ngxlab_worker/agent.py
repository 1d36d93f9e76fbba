"""A host's agent: claims trials, runs them, and keeps the backend informed.

The main process (Celery's) sends heartbeats and looks after leftovers; trials run in the one pool process forked from
it, which dies with it.
"""

import fcntl
import os
import threading
from collections.abc import Callable
from typing import TextIO
from uuid import UUID, uuid4

import structlog
from ngxlab_contracts.trials import TrialSpec
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from ngxlab_worker.api_client import AgentClient, ApiRefusedError, ApiUnavailableError
from ngxlab_worker.caretaker import Caretaker
from ngxlab_worker.clock import monotonic_us
from ngxlab_worker.credential import Credential
from ngxlab_worker.heartbeat import INTERVAL_S, Heart
from ngxlab_worker.sandbox import Isolation, Sandbox, choose_isolation, resolve_run_as
from ngxlab_worker.settings import AgentSettings
from ngxlab_worker.shared import SharedState
from ngxlab_worker.spool import Spool
from ngxlab_worker.this_host import describe_this_host
from ngxlab_worker.trial import Steering, TrialSetting, run_trial
from ngxlab_worker.trial.runner import longest_life_s
from ngxlab_worker.uploader import Uploader

CLAIM_TIMEOUT_S = 20.0
LAST_UPLOAD_S = 5.0

log = structlog.get_logger(__name__)


class AgentRunningError(Exception):
    """Another agent uses this folder."""


class Agent:
    """``isolation`` is found out by trying unless given. Raises ``LookupError`` where no unprivileged user is there."""

    def __init__(self, settings: AgentSettings, credential: Credential, isolation: Isolation | None = None) -> None:
        self.settings = settings
        self.credential = credential
        self.instance = uuid4()
        self.shared = SharedState()
        run_as = resolve_run_as(settings.run_as)
        self.sandbox = Sandbox(isolation or choose_isolation(run_as), run_as)
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._lock: TextIO | None = None

    def claim_folder(self) -> None:
        """Be the only agent on this folder. Raises ``AgentRunningError``."""
        self.settings.folder.mkdir(parents=True, exist_ok=True)
        self._lock = (self.settings.folder / "agent.lock").open("a")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise AgentRunningError(f"another agent is running on {self.settings.folder}") from None

    def start(self) -> None:
        """Begin heartbeats and caretaking; in the main process, after the pool was forked."""
        inventory = describe_this_host(self.settings.run_as)
        heart = Heart(self.settings, self.client(), self.shared, self.instance, inventory)
        caretaker = Caretaker(self.settings, self.client(), self.shared, self._stopping.is_set)
        for name, action in (("heartbeat", heart.beat), ("caretaker", caretaker.round)):
            thread = threading.Thread(target=self._repeat, args=(action,), name=name, daemon=True)
            thread.start()
            self._threads.append(thread)
        log.info("agent started", host=str(self.credential.host_id), isolation=self.sandbox.isolation.value)

    def stop(self) -> None:
        """A running trial ends itself (``agent-stopped``), heartbeats cease."""
        self.shared.stop()
        self._stopping.set()

    def client(self) -> AgentClient:
        return AgentClient(self.settings.backend_url or self.credential.backend_url, self.credential.credential)

    def execute(self, trial_id: UUID) -> None:
        """Claim and run one trial; leave quietly where it is not ours to run. From the main thread."""
        if Spool.exists(self.settings.spool_root, trial_id):
            log.info("trial has run here already", trial=str(trial_id))
            return
        with self.client() as client:
            try:
                spec = self._claim(client, trial_id)
            except (ApiRefusedError, ApiUnavailableError) as error:
                log.info("trial not claimed", trial=str(trial_id), reason=str(error))
                return
            self.shared.set_active_trial(trial_id)
            try:
                self._run(client, spec)
            finally:
                self.shared.set_active_trial(None)

    def _claim(self, client: AgentClient, trial_id: UUID) -> TrialSpec:
        for attempt in Retrying(
            retry=retry_if_exception_type(ApiUnavailableError),
            wait=wait_random_exponential(multiplier=0.2, max=2),
            stop=stop_after_delay(CLAIM_TIMEOUT_S),
            reraise=True,
        ):
            with attempt:
                return client.claim(trial_id, self.instance)
        raise AssertionError("unreachable: the last attempt raises")

    def _run(self, client: AgentClient, spec: TrialSpec) -> None:
        spool = Spool(self.settings.spool_root, spec.trial_id)
        steering = Steering(monotonic_us() + round(longest_life_s(spec) * 1e6))
        uploader = Uploader(client, spool, steering, self.shared.stopping)
        uploader.start()
        setting = TrialSetting(self.settings.trials_root, self.sandbox, self.shared.offset)
        try:
            outcome = run_trial(spec, setting, spool, steering, uploader.wake)
            log.info("trial ended", trial=str(spec.trial_id), outcome=outcome.outcome, code=outcome.code)
        finally:
            uploader.close(LAST_UPLOAD_S)

    def _repeat(self, action: Callable[[], None]) -> None:
        while not self._stopping.is_set():
            try:
                action()
            except OSError as error:
                log.error("agent's housekeeping failed", pid=os.getpid(), error=str(error))
            self._stopping.wait(INTERVAL_S)
