"""Reloads nginx (SIGHUP) and waits until that has taken effect."""

import signal
import time
from collections.abc import Callable

from ngxlab_worker.nginx.process import NginxError, NginxProcess

POLL_S = 0.005
Wait = Callable[[float], bool]
"""Sleeps that many seconds, or returns ``False`` at once when no time is left."""


def reload(nginx: NginxProcess, timeout_s: float, wait: Wait) -> int:
    """Have nginx read its configuration again; returns the number of workers once all of them are new.

    nginx starts the new workers and tells the old ones 100 ms later to finish what they serve. With a broken
    configuration the old ones stay (see the error log). Only one reload runs at a time. Raises ``NginxError``.
    """
    with nginx.reloading:
        old = set(nginx.workers())
        deadline = time.monotonic() + timeout_s
        if not wait(0):
            raise NginxError("nginx-not-reloaded", "the load ended before the reload")
        nginx.check()  # it may have ended while this thread waited for the lock
        nginx.signal(signal.SIGHUP)
        while True:
            now = set(nginx.workers())
            if len(now) >= max(1, len(old)) and not now & old:
                return len(now)
            if time.monotonic() > deadline:
                reason = f"{len(now & old)} of {len(old)} workers are still old ones after {timeout_s:g} s"
                raise NginxError("nginx-not-reloaded", reason)
            if not wait(POLL_S):
                raise NginxError("nginx-not-reloaded", "the load ended before all workers were new")
