"""A host's agent: claims trials, runs them, and keeps the backend informed.

Celery's main process sends heartbeats and clears up leftovers. Trials run in its only pool process, which is forked
from it and dies with it.
"""

import fcntl
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TextIO
from uuid import UUID, uuid4

import structlog
from ngxlab_contracts.config_test import ConfigTestResult, ConfigTestSpec
from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.telemetry import Batch, TrialEnd
from ngxlab_contracts.trials import TrialSpec

from ngxlab_worker.agent.admission import (
    allowance,
    refuse_config_test,
    refuse_first_answers,
    refuse_full_disk,
    refuse_trial,
)
from ngxlab_worker.agent.caretaker import Caretaker, reap
from ngxlab_worker.agent.credential import Credential
from ngxlab_worker.agent.heartbeat import Heart
from ngxlab_worker.agent.shared_state import SharedState
from ngxlab_worker.agent.this_host import InventoryWatch, describe_agents_host
from ngxlab_worker.config_test import ConfigTestContext, run_config_test
from ngxlab_worker.core.clock import HostClock, aligned_rest_s, monotonic_us
from ngxlab_worker.core.settings import AgentSettings
from ngxlab_worker.sandbox import Isolation, Sandbox, choose_isolation, lifeline, resolve_run_as
from ngxlab_worker.trial import TrialContext, run_trial
from ngxlab_worker.trial.failure import Outcome
from ngxlab_worker.trial.recorder import Recorder
from ngxlab_worker.trial.runner import longest_life_s
from ngxlab_worker.uplink.api_client import AgentClient, ApiError, NotUnderstoodError, patiently
from ngxlab_worker.uplink.spool import Spool
from ngxlab_worker.uplink.steering import Steering
from ngxlab_worker.uplink.uploader import Orders, Uploader

PATIENCE_S = 20.0
HOUSEKEEPING_S = 2.0
LAST_UPLOAD_S = 5.0

log = structlog.get_logger(__name__)


class AgentRunningError(Exception):
    """Another agent is using this folder."""


class Agent:
    """Without ``isolation`` the strongest that works is chosen. Raises ``LookupError`` without an unprivileged user."""

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
        """Lock the folder against other agents, and remove what earlier configuration tests left.

        Raises ``AgentRunningError``.
        """
        self.settings.folder.mkdir(parents=True, exist_ok=True)
        self._lock = (self.settings.folder / "agent.lock").open("a")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            folder = self.settings.folder
            raise AgentRunningError(f"another agent is using {folder}: stop it, or set NGXLAB_AGENT_DIR") from None
        reap(self.settings.config_tests_root)

    def start(self) -> InventoryWatch:
        """Start heartbeats and caretaking; in the main process, once the pool has been forked. Raises ``CapsError``."""

        def describe() -> Inventory:
            return describe_agents_host(self.settings)

        inventory = describe()
        heart = Heart(self.settings, self.client(), self.shared, self.instance, inventory)
        caretaker = Caretaker(self.settings, self.client(), self.shared, self._stopping.is_set)
        watch = InventoryWatch(inventory, describe, heart.tell, self.shared)

        def keep_house() -> None:
            watch.round()
            caretaker.round()

        loops = (("heartbeat", heart.beat, heart.interval_s), ("housekeeping", keep_house, lambda: HOUSEKEEPING_S))
        for name, action, pause_s in loops:
            thread = threading.Thread(target=self._repeat, args=(action, pause_s), name=name, daemon=True)
            thread.start()
            self._threads.append(thread)
        log.info("agent started", host=str(self.credential.host_id), isolation=self.sandbox.isolation.value)
        return watch

    def stop(self) -> None:
        self.shared.stop()
        self._stopping.set()

    def client(self) -> AgentClient:
        return AgentClient(self.settings.backend_url or self.credential.backend_url, self.credential.credential)

    def execute(self, trial_id: UUID) -> None:
        """Claim and run one trial, unless the backend refuses the claim. Call it from the main thread."""
        if Spool.exists(self.settings.spool_root, trial_id):
            log.info("trial has run here already", trial=str(trial_id))
            return
        with self.client() as client:
            try:
                spec = patiently(lambda: client.claim(trial_id, self.instance), PATIENCE_S)
            except ApiError as error:
                log.info("trial not claimed", trial=str(trial_id), reason=str(error))
                return
            except NotUnderstoodError as error:
                log.error("trial not understood", trial=str(trial_id), reason=str(error))
                self._refuse_claimed(client, trial_id, str(error))
                return
            if (outcome := refuse_full_disk(self.settings)) is not None:
                self._report_at_once(client, trial_id, outcome)
                return
            self.shared.set_active_trial(trial_id)
            try:
                self._run(client, spec)
            finally:
                self.shared.set_active_trial(None)

    def run_config_test(self, test_id: UUID) -> None:
        """Fetch a configuration test, run it, and post what nginx said. Call it from the main thread."""
        with self.client() as client:
            try:
                try:
                    spec = patiently(lambda: client.config_test(test_id), PATIENCE_S)
                    refusal = refuse_config_test(self.settings, spec, self.sandbox.isolation)
                except NotUnderstoodError as error:
                    refusal = f"This host's agent does not understand the test: {error}."
                if refusal is not None:
                    result = ConfigTestResult(verdicts=[], failure=refusal)
                else:
                    with lifeline(Path(os.devnull)):
                        result = self._test_config(spec)
                patiently(lambda: client.send_config_test(test_id, result), PATIENCE_S)
            except ApiError as error:
                log.info("configuration test given up", test=str(test_id), reason=str(error))

    def _test_config(self, spec: ConfigTestSpec) -> ConfigTestResult:
        bounds = allowance(self.settings).bounds
        unanswered = refuse_first_answers(self.settings, spec)
        context = ConfigTestContext(
            self.settings.config_tests_root, self.sandbox, bounds, self.shared.stopping, unanswered
        )
        return run_config_test(spec, context)

    def _refuse_claimed(self, client: AgentClient, trial_id: UUID, reason: str) -> None:
        try:
            patiently(lambda: client.refuse(trial_id, self.instance, reason), PATIENCE_S)
        except ApiError as error:
            log.error("refusal not delivered", trial=str(trial_id), reason=str(error))

    def _run(self, client: AgentClient, spec: TrialSpec) -> None:
        spool = Spool(self.settings.spool_root, spec.trial_id)
        steering = Steering(monotonic_us() + round(longest_life_s(spec) * 1e6))
        uploader = Uploader(client, spool, steering, self.shared.stopping)
        orders = Orders(self.client, spec.trial_id, steering)
        uploader.start()
        orders.start()
        try:
            outcome = self._refuse(spec, spool, uploader) or self._run_allowed(spec, spool, steering, uploader)
            log.info("trial ended", trial=str(spec.trial_id), outcome=outcome.outcome, code=outcome.code)
        finally:
            orders.close()
            uploader.close(LAST_UPLOAD_S)

    def _run_allowed(self, spec: TrialSpec, spool: Spool, steering: Steering, uploader: Uploader) -> Outcome:
        allowed = allowance(self.settings)
        root, offset, server_run = self.settings.trials_root, self.shared.offset, self.settings.server_run
        context = TrialContext(
            root, self.sandbox, allowed.bounds, allowed.reach, offset, self.shared.collect_s, server_run
        )
        return run_trial(spec, context, spool, steering, uploader.wake)

    def _refuse(self, spec: TrialSpec, spool: Spool, uploader: Uploader) -> Outcome | None:
        """End a trial that this host refuses, before any of it begins."""
        outcome = refuse_trial(self.settings, spec, self.sandbox.isolation)
        if outcome is None:
            return None
        clock = HostClock.anchored_now()
        recorder = Recorder(spool, clock, lambda: self.shared.offset_us(clock), uploader.wake)
        recorder.end(outcome.outcome, outcome.code, outcome.reason)
        return outcome

    def _report_at_once(self, client: AgentClient, trial_id: UUID, outcome: Outcome) -> None:
        """Report the end of a trial that has not begun, past the disk. Where it does not arrive, the backend notices
        that nothing comes of the trial."""
        clock = HostClock.anchored_now()
        end = TrialEnd(t_us=clock.now_us(), outcome=outcome.outcome, code=outcome.code, reason=outcome.reason)
        batch = Batch(seq=1, clock_offset_us=self.shared.offset_us(clock), events=[end])
        log.error("trial refused", trial=str(trial_id), code=outcome.code, reason=outcome.reason)
        try:
            patiently(lambda: client.send_batch(trial_id, batch.model_dump_json().encode()), PATIENCE_S)
        except ApiError as error:
            log.error("cannot report the refusal", trial=str(trial_id), error=str(error))

    def _repeat(self, action: Callable[[], None], pause_s: Callable[[], float]) -> None:
        while not self._stopping.is_set():
            try:
                action()
            except OSError as error:
                log.error("agent's housekeeping failed", pid=os.getpid(), error=str(error))
            except Exception:  # whatever it is, the next round may go well, and the other loops go on
                log.exception("agent's housekeeping failed", loop=threading.current_thread().name)
            self._stopping.wait(aligned_rest_s(pause_s()))
