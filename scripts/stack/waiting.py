"""Waiting for a condition, with a reason when it stays false."""

import time
from collections.abc import Callable

POLL_S = 0.1


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 20) -> None:
    """Wait for a condition. Raises TimeoutError that says what did not happen."""
    if wait_healthy(lambda: None if condition() else what, seconds) is not None:
        raise TimeoutError(f"{what} did not happen within {seconds:g} s")


def wait_healthy(ask: Callable[[], str | None], patience_s: float) -> str | None:
    """Ask until the answer is ``None`` (healthy), at most ``patience_s`` seconds. Returns the last answer."""
    deadline = time.monotonic() + patience_s
    while (complaint := ask()) is not None and time.monotonic() < deadline:
        time.sleep(POLL_S)
    return complaint
