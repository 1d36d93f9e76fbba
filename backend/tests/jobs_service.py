"""A real jobs service beside the backend under test: a process of its own, with the settings of the test.

A server that has loaded all code forks the services; each would otherwise load it anew for three seconds.
"""

import contextlib
import importlib
import multiprocessing
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from typing import Any

from ngxlab.core.config import Settings

_IMPATIENT = {"ngxlab.core.jobs.beat.PERIOD_S": 0.5, "ngxlab.core.jobs.beat.BUSY_S": 0.5}
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["ngxlab.jobs"])


@dataclass
class JobsService:
    process: ForkServerProcess

    @property
    def pid(self) -> int:
        return self.process.pid or 0

    def has_ended(self) -> bool:
        return self.process.exitcode is not None

    def kill(self) -> None:
        """With all its processes: nothing that it should do at its end happens."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.join()


@contextmanager
def jobs_service(
    settings: Settings, changes: Mapping[str, Any] | None = None, kinds: str | None = None
) -> Iterator[JobsService]:
    """``changes``: attributes of modules by their dotted names. ``kinds``: a module that declares more kinds."""
    begun, begins = _FORKS.Pipe(duplex=False)
    process = _FORKS.Process(target=_serve, args=(begins, settings, _IMPATIENT | dict(changes or {}), kinds))
    process.start()
    begun.recv()  # from now on it has a group of its own
    service = JobsService(process)
    try:
        yield service
    finally:
        service.kill()  # which it must survive; its own end takes three seconds


def _serve(begins: Any, settings: Settings, changes: Mapping[str, Any], kinds: str | None) -> None:
    os.setsid()
    begins.send(None)
    jobs = importlib.import_module("ngxlab.jobs")
    if kinds is not None:
        importlib.import_module(kinds)
    for name, value in changes.items():
        module, _, attribute = name.rpartition(".")
        setattr(importlib.import_module(module), attribute, value)
    jobs.run(settings)
