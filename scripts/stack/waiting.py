"""Waiting for a condition, with a reason when it does not come true."""

import time
from collections.abc import Callable

POLL_S = 0.1


def wait_healthy(ask: Callable[[], str | None], patience_s: float) -> str | None:
    """Ask until the answer is ``None`` (healthy), at most ``patience_s`` seconds. Returns the last complaint."""
    deadline = time.monotonic() + patience_s
    while (complaint := ask()) is not None and time.monotonic() < deadline:
        time.sleep(POLL_S)
    return complaint
