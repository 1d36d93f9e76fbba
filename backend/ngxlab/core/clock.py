"""The backend's clock: this machine's, set right by the database's (``shared_clock``)."""

import time
from datetime import UTC, datetime

_shift_us = 0


def utcnow() -> datetime:
    return from_us(now_us())


def from_us(us: int) -> datetime:
    """The instant so many microseconds after the Unix epoch."""
    seconds, rest_us = divmod(us, 1_000_000)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest_us)


def now_us() -> int:
    """Microseconds since the Unix epoch."""
    return machine_us() + _shift_us


def machine_us() -> int:
    """The same by this machine alone."""
    return time.time_ns() // 1000


def shift_us() -> int:
    """What is added to this machine's clock."""
    return _shift_us


def shift(us: int) -> None:
    """Add so much from now on."""
    global _shift_us  # noqa: PLW0603  a process has one clock
    _shift_us = us
