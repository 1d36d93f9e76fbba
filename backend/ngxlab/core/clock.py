"""The backend's clock: this machine's, set right by the database's (``shared_clock``).

And how long this machine has been up, which nobody can set.
"""

import time
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

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


def uptime_s() -> float:
    """Since this machine started, with the time that it slept. The same for all processes on it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@cache
def boot() -> str | None:
    """Which start of which machine :func:`uptime_s` counts from; ``None`` where the system does not say."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return None
