"""Stop the product's processes, so that they do not disturb a trial without the product."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ngxlab_worker.sandbox.process import children

from scripts.bench.lab import Lab
from scripts.bench.results import NotMeasuredError
from scripts.stack import backend
from scripts.stack.processes import ProcessId, living
from scripts.stack.waiting import wait_healthy

SERVICES = ("agent", "coordinator", "jobs", "backend")
STORES = ("postgres", "redis")
RECOVERY_PATIENCE_S = 15


@contextmanager
def product_stopped(lab: Lab) -> Iterator[None]:
    """Stop the stack's agent, coordinator, jobs and backend (SIGSTOP), then continue them until they are healthy.

    Use it between trials. Raises :class:`NotMeasuredError`.
    """
    with _stopped([process for name in SERVICES for process in _family(lab, name)]):
        yield
    complaint = wait_healthy(lambda: backend.host_complaint(lab.settings), RECOVERY_PATIENCE_S)
    if complaint is not None:
        raise NotMeasuredError(f"the stack did not recover from being stopped: {complaint}")


@contextmanager
def everything_stopped(lab: Lab) -> Iterator[None]:
    """Stop all of the stack, with its database and what supervises it, for a few seconds within a trial."""
    supervisor = living(lab.settings.run)["supervisord"]
    with _stopped([*(process for name in (*SERVICES, *STORES) for process in _family(lab, name)), supervisor]):
        yield


@contextmanager
def _stopped(processes: Sequence[ProcessId]) -> Iterator[None]:
    try:
        for process in processes:
            process.send(signal.SIGSTOP)
        yield
    finally:
        for process in processes:
            process.send(signal.SIGCONT)


def _family(lab: Lab, name: str) -> list[ProcessId]:
    """A service and its pool processes."""
    main = living(lab.settings.run).get(name)
    if main is None:
        raise NotMeasuredError(f"the stack's {name} does not run")
    pool = [ProcessId.of(pid) for pid in children(main.pid)]
    return [main, *(process for process in pool if process is not None)]
