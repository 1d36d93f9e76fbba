"""The Celery tasks of the agent and of the coordinator, and the processes that serve them. Messages carry ids only."""

import ctypes
import gc
import os
import signal
import threading
from uuid import UUID

from celery import Celery, bootsteps, signals
from kombu.asynchronous import get_event_loop
from ngxlab_contracts.queues import COORDINATOR_QUEUE, TASK_DRIVE_RUN, TASK_RUN_TRIAL, TASK_TEST_CONFIG, host_queue

from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.celery_app import LEAN, make_app
from ngxlab_worker.coordinator.coordinator import Coordinator
from ngxlab_worker.core.settings import CoordinatorSettings, broker_ca_file

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def serve_agent(agent: Agent) -> None:
    """Serve this host's queue until told to stop: one trial at a time, in one child process that dies with this one."""
    app = make_app(agent.credential.broker_login, broker_ca_file())
    main_pid = os.getpid()

    @app.task(name=TASK_RUN_TRIAL)
    def run_trial(trial_id: str) -> None:
        agent.execute(UUID(trial_id))

    @app.task(name=TASK_TEST_CONFIG)
    def run_config_test(test_id: str) -> None:
        agent.run_config_test(UUID(test_id))

    def on_process_start(**_: object) -> None:
        _die_with(main_pid)
        gc.freeze()  # what is loaded now stays: spare the collector walking over it while something is measured
        agent.shared.set_active_trial(None)  # a predecessor may have been killed during its trial

    class Housekeeping(bootsteps.StartStopStep):
        """Heartbeats begin once the pool has been forked, and do not wait for the broker."""

        requires = ("celery.worker.components:Pool",)

        def start(self, _: object) -> None:
            watch = agent.start()
            signal.signal(signal.SIGHUP, lambda *_: watch.look_now())  # instead of Celery's restart

    def on_shutdown(**_: object) -> None:
        agent.stop()
        _wake_loop()

    signals.worker_process_init.connect(on_process_start, weak=False)
    app.steps["worker"].add(Housekeeping)
    signals.worker_shutting_down.connect(on_shutdown, weak=False)
    _serve(app, "agent", host_queue(agent.credential.host_id), ["-P", "prefork", "-c", "1"])


def serve_coordinator(settings: CoordinatorSettings) -> None:
    """Serve the coordinators' queue, one thread for each run that has begun; further ones wait for a free one."""
    app = make_app(settings.broker_login, broker_ca_file())
    coordinator = Coordinator(settings, app)

    @app.task(name=TASK_DRIVE_RUN)
    def drive_run(run_id: str) -> None:
        coordinator.drive(UUID(run_id))

    def on_shutdown(**_: object) -> None:
        coordinator.stop()
        _wake_loop()

    signals.worker_shutting_down.connect(on_shutdown, weak=False)
    coordinator.start()
    _serve(app, "coordinator", COORDINATOR_QUEUE, ["-P", "threads", "-c", str(settings.slots)])


def _serve(app: Celery, name: str, queue: str, pool: list[str]) -> None:
    app.worker_main(["worker", "-Q", queue, "-n", f"{name}@%h", *LEAN, *pool])


def _wake_loop() -> None:
    """Have Celery notice the signal that it handles at once: its loop goes on to wait for Redis after it."""
    if (loop := get_event_loop()) is not None:
        threading.Thread(target=loop.call_soon, args=(lambda: None,), daemon=True).start()


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent dies, however that happens (prctl(2))."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)  # it died before that took effect
