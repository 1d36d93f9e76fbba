"""The backend's clock."""

import time
from datetime import UTC, datetime


def utcnow() -> datetime:
    return datetime.now(UTC)


def from_us(us: int) -> datetime:
    """The instant so many microseconds after the Unix epoch."""
    return datetime.fromtimestamp(us / 1e6, UTC)


def now_us() -> int:
    """Microseconds since the Unix epoch."""
    return time.time_ns() // 1000
