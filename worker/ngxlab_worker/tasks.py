"""The Celery tasks of the agent and of the coordinator, and the processes that serve them.

Messages are JSON and carry ids only; there are no results, and no remote control.
"""

import ctypes
import gc
import os
import signal
import socket
import threading
from uuid import UUID

from celery import Celery, bootsteps, signals
from kombu.asynchronous import get_event_loop
from ngxlab_contracts.broker import (
    COORDINATOR_QUEUE,
    TASK_DRIVE_RUN,
    TASK_RUN_TRIAL,
    TASK_TEST_CONFIG,
    host_queue,
    tls_options,
)

from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.coordinator.coordinator import Coordinator
from ngxlab_worker.core.settings import CoordinatorSettings, broker_ca_file

PR_SET_PDEATHSIG = 1  # linux/prctl.h


KEEPALIVE = {socket.TCP_KEEPIDLE: 10, socket.TCP_KEEPINTVL: 5, socket.TCP_KEEPCNT: 3}
"""Notices within half a minute that a silent connection leads nowhere, where the kernel's default takes two hours."""


def make_app(broker_url: str, ca_file: str | None = None) -> Celery:
    """Messages are acknowledged on receipt: each is only a hint, and the backend sends it again while work is left.

    ``ca_file``: the authority of a ``rediss://`` broker's certificate, where the system does not know it.
    """
    app = Celery("ngxlab", broker=broker_url)
    app.conf.update(
        broker_transport="ngxlab_worker.core.hints:HintTransport",
        broker_use_ssl=tls_options(broker_url, ca_file) or None,
        broker_channel_error_retry=True,  # a Redis that refuses (read-only, no such user yet) may soon not
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_acks_late=False,
        worker_prefetch_multiplier=0,  # no limit: a message whose receipt was lost with Redis would use it up for ever
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # forever
        broker_transport_options={
            "socket_keepalive": True,
            "socket_keepalive_options": KEEPALIVE,
            "socket_connect_timeout": 3,
            "socket_timeout": 10,  # of an answer that is due; waiting for a message is not limited by it
        },
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
    )
    return app


LEAN = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
"""Celery processes need not know of each other, and must cost nothing while something is measured."""


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
