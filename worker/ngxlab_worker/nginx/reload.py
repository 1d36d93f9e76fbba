"""SIGHUP, and whether nginx really took it."""

import signal
import time
from collections.abc import Callable

from ngxlab_worker.nginx.process import NginxError, NginxProcess

POLL_S = 0.005
Wait = Callable[[float], bool]
"""Sleeps that many seconds, or says ``False`` at once when there is no time for more."""


def reload(nginx: NginxProcess, timeout_s: float, wait: Wait) -> int:
    """Have nginx take over its configuration; returns the number of workers once all of them are new.

    nginx starts the new ones, and tells the old ones 100 ms later to finish what they serve. A broken configuration
    leaves the old ones at work (see the error log). One reload at a time, whichever thread asks. Raises ``NginxError``.
    """
    with nginx.reloading:
        old = set(nginx.workers())
        deadline = time.monotonic() + timeout_s
        if not wait(0):
            raise NginxError("nginx-not-reloaded", "the load ended before the reload")
        nginx.check()  # we may have waited for the lock
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
