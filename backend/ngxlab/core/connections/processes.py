"""Several processes that serve one port. The kernel shares new connections out among them (SO_REUSEPORT, socket(7))."""

import ctypes
import os
import signal
import socket
import time
from collections.abc import Callable
from types import FrameType

import structlog

log = structlog.get_logger()

_AGAIN_S = 2.0
"""Between two starts in the place of the same process."""
_END = (signal.SIGTERM, signal.SIGINT)
_SET_PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG, prctl(2)."""


class Processes:
    """Whoever starts them: does nothing else, and does not wake while all is well.

    A process that ends by itself is replaced; where one cannot start (``failure``), all are ended.
    """

    def __init__(self, count: int, failure: int) -> None:
        self._count, self._failure = count, failure
        self._started_at: dict[int, float] = {}
        self._ending = False

    def run(self, serve: Callable[[], int]) -> int:
        """Returns in each of the processes, what ``serve`` returns there; and in the first one, when all have ended."""
        for number in _END:
            signal.signal(number, self._end)
        for _ in range(self._count):
            if self._is_new_one():
                return serve()
        result = 0
        while self._started_at:
            pid, status = os.wait()
            started_at = self._started_at.pop(pid, None)
            if started_at is None or self._ending:
                continue
            code = os.waitstatus_to_exitcode(status)
            if code == self._failure:
                result = code
                self._end(signal.SIGTERM, None)
                continue
            log.warning("a process of the backend has ended and is replaced", pid=pid, code=code)
            time.sleep(max(0.0, started_at + _AGAIN_S - time.monotonic()))
            if self._is_new_one():
                return serve()
        return result

    def _is_new_one(self) -> bool:
        """Start one; whether this is it. A signal that comes meanwhile ends it, too."""
        first = os.getpid()
        signal.pthread_sigmask(signal.SIG_BLOCK, _END)
        try:
            if self._ending:
                return False
            pid = os.fork()
            if pid:
                self._started_at[pid] = time.monotonic()
                return False
            for number in _END:
                signal.signal(number, signal.SIG_DFL)
            _end_with(first)
            return True
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _END)

    def _end(self, number: int, _: FrameType | None) -> None:
        self._ending = True
        for pid in self._started_at:
            os.kill(pid, number)


def _end_with(parent: int) -> None:
    """Also where the parent is killed: nobody would replace or end this process."""
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def bound_sockets(host: str, port: int, *, shared: bool) -> list[socket.socket]:
    """Bound to every address of ``host``, and not listening yet. ``shared``: with other processes of the same user.

    Raises OSError.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    bound = []
    for family, kind, protocol, _, address in found:
        own = socket.socket(family, kind, protocol)
        own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6:
            own.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        own.bind(address)
        bound.append(own)
    return bound


def require_free(host: str, port: int) -> None:
    """Raises OSError where somebody listens there already, with whom a shared port would be shared."""
    for own in bound_sockets(host, port, shared=False):
        own.close()
