"""Waiting for a condition, with a reason when it stays false."""

import time
from collections.abc import Callable
from typing import TypeVar

POLL_S = 0.1
Found = TypeVar("Found")


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 20) -> None:
    """Wait for a condition. Raises TimeoutError that says what did not happen."""
    if wait_healthy(lambda: None if condition() else what, seconds) is not None:
        raise TimeoutError(f"{what} did not happen within {seconds:g} s")


def wait_healthy(
    ask: Callable[[], str | None], patience_s: float, is_final: Callable[[str], bool] = lambda _: False
) -> str | None:
    """Ask until the answer is ``None`` (healthy), at most ``patience_s`` seconds. Returns the last answer.

    A complaint that ``is_final`` is not asked about again: waiting mends nothing.
    """
    deadline = time.monotonic() + patience_s
    while (complaint := ask()) is not None and not is_final(complaint) and time.monotonic() < deadline:
        time.sleep(POLL_S)
    return complaint


def wait_for(look: Callable[[], Found | None], what: str, seconds: float = 20) -> Found:
    """What ``look`` finds; it is repeated as long as that is ``None``. Raises TimeoutError as :func:`wait_until`."""
    found: list[Found] = []

    def has_found() -> bool:
        one = look()
        found.extend([] if one is None else [one])
        return one is not None

    wait_until(has_found, what, seconds)
    return found[0]
