"""Processes that are stopped by signals of ours for a while, perhaps for several reasons at once."""

import contextlib
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

Send = Callable[[signal.Signals], None]
"""Signals one process. Raises ``ProcessLookupError`` where it has ended, or does nothing then."""


class Halts:
    """From any thread. Whoever is stopped twice goes on when the second one lets go."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped: Counter[int] = Counter()

    @property
    def any(self) -> bool:
        """Some process is stopped: whoever asks it something would wait."""
        return self._stopped.total() > 0

    @contextmanager
    def during(self, processes: Mapping[int, Send]) -> Iterator[None]:
        """Stop them by their process ids, and let them go on afterwards, however that comes. Raises ``OSError``."""
        with ExitStack() as undo:
            for pid, send in processes.items():
                undo.callback(self._let_go, pid, send)
                self._stop(pid, send)
            yield

    def _stop(self, pid: int, send: Send) -> None:
        with self._lock:
            self._stopped[pid] += 1
            send(signal.SIGSTOP)

    def _let_go(self, pid: int, send: Send) -> None:
        with self._lock:
            self._stopped[pid] -= 1
            # One that ended while it was stopped needs no resuming.
            if self._stopped[pid] == 0:
                with contextlib.suppress(ProcessLookupError):
                    send(signal.SIGCONT)
