"""A signal to processes of the nginx under test."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from ngxlab_contracts.perturbations import SignalNginx

from ngxlab_worker.nginx import NginxServer
from ngxlab_worker.perturbations.action import ActionError, Done
from ngxlab_worker.perturbations.cue import Cue


class SignalAction:
    """Whom it concerns is looked up each time: workers come and go. Who was stopped is always let go on."""

    def __init__(self, spec: SignalNginx, nginx: NginxServer) -> None:
        self._spec = spec
        self._nginx = nginx

    def run(self, cue: Cue) -> Done:
        pids = self._pids()
        number = signal.Signals[f"SIG{self._spec.signal}"]
        if number is signal.SIGSTOP:
            with self._paused(pids):
                whole = cue.wait(self._spec.resume_after_s)
            end = "" if whole else ", resumed early: the load had ended"
            return Done(ok=whole, detail=f"{_processes(len(pids))} stopped{end}")
        for pid in pids:
            os.kill(pid, number)
        return Done(ok=True, detail=f"{number.name} to {_processes(len(pids))}")

    @contextmanager
    def _paused(self, pids: list[int]) -> Iterator[None]:
        stopped = []
        self._nginx.paused.set()
        try:
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
                stopped.append(pid)
            yield
        finally:
            for pid in stopped:
                _resume(pid)
            self._nginx.paused.clear()

    def _pids(self) -> list[int]:
        """As this host sees them, whatever namespace they are in."""
        workers = self._nginx.workers()
        match self._spec.to:
            case "master":
                return [self._nginx.master]
            case "all":
                return [self._nginx.master, *workers]
            case "worker" if self._spec.worker >= len(workers):
                raise ActionError(f"there is no worker {self._spec.worker}; there are {len(workers)}")
            case "worker":
                return [workers[self._spec.worker]]
        if not workers:
            raise ActionError("nginx has no workers")
        return workers


def _resume(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        return  # ended while it was stopped: a kill needs no resuming


def _processes(count: int) -> str:
    return f"{count} process{'es' if count > 1 else ''}"
