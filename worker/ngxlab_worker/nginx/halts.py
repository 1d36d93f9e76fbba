"""Processes that perturbations stop for a while (SIGSTOP), perhaps several at once."""

import contextlib
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

Send = Callable[[signal.Signals], None]
"""Signals one process. Where it has ended, raises ``ProcessLookupError`` or does nothing."""


class Halts:
    """For any thread. A process that is stopped twice is resumed when both have ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped: Counter[int] = Counter()

    @property
    def any(self) -> bool:
        """Whether some process is stopped, so that it would not answer."""
        return self._stopped.total() > 0

    @contextmanager
    def during(self, processes: Mapping[int, Send]) -> Iterator[None]:
        """Stop ``processes``, given by id, and resume them afterwards in any case. Raises ``OSError``."""
        with ExitStack() as undo:
            for pid, send in processes.items():
                undo.callback(self._resume, pid, send)
                self._stop(pid, send)
            yield

    def _stop(self, pid: int, send: Send) -> None:
        with self._lock:
            self._stopped[pid] += 1
            send(signal.SIGSTOP)

    def _resume(self, pid: int, send: Send) -> None:
        with self._lock:
            self._stopped[pid] -= 1
            # A process that ended while it was stopped need not be resumed.
            if self._stopped[pid] == 0:
                with contextlib.suppress(ProcessLookupError):
                    send(signal.SIGCONT)
