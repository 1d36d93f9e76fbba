"""A signal to processes of the nginx under test."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from ngxlab_contracts.perturbations import SignalNginx

from ngxlab_worker.nginx import NginxServer
from ngxlab_worker.nginx.process import Send
from ngxlab_worker.perturbations.action import ActionError, Cue, Done


class SignalAction:
    """The processes are looked up each time, since workers come and go. A stopped process is always resumed."""

    def __init__(self, spec: SignalNginx, nginx: NginxServer) -> None:
        self._spec = spec
        self._nginx = nginx

    def run(self, cue: Cue) -> Done:
        number = signal.Signals[f"SIG{self._spec.signal}"]
        with self._reached() as processes:
            if number is signal.SIGSTOP:
                with self._nginx.halts.during(processes):
                    whole = cue.wait(self._spec.resume_after_s)
                end = "" if whole else ", resumed early: the load had ended"
                return Done(ok=whole, detail=f"{_processes(len(processes))} stopped{end}")
            for send in processes.values():
                send(number)
            return Done(ok=True, detail=f"{number.name} to {_processes(len(processes))}")

    @contextmanager
    def _reached(self) -> Iterator[dict[int, Send]]:
        """Signalling functions of the processes, by id. Their pidfds are held, so that a reused id is never hit."""
        with ExitStack() as held:
            senders: dict[int, Send] = {}
            for pid in self._pids():
                if pid == self._nginx.master:
                    senders[pid] = self._nginx.signal
                else:
                    descriptor = os.pidfd_open(pid)
                    held.callback(os.close, descriptor)
                    senders[pid] = partial(signal.pidfd_send_signal, descriptor)
            self._nginx.check()
            if senders.keys() - {
                self._nginx.master,
                *self._nginx.workers(),
            }:  # then a pidfd may belong to another process
                raise ActionError("a worker ended before it got the signal")
            yield senders

    def _pids(self) -> list[int]:
        """Process ids as this host sees them, whatever their namespace."""
        workers = self._nginx.workers()
        match self._spec.to:
            case "master":
                return [self._nginx.master]
            case "all":
                return [self._nginx.master, *workers]
            case "worker" if self._spec.worker >= len(workers):
                raise ActionError(
                    f"there is no worker {self._spec.worker}: nginx has {len(workers)} workers, counted from 0"
                )
            case "worker":
                return [workers[self._spec.worker]]
        if not workers:
            raise ActionError("nginx has no workers")
        return workers


def _processes(count: int) -> str:
    return f"{count} process{'es' if count > 1 else ''}"
