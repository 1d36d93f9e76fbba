"""The backend's clock."""

import time
from datetime import UTC, datetime


def utcnow() -> datetime:
    return datetime.now(UTC)


def now_us() -> int:
    """Microseconds since the Unix epoch."""
    return time.time_ns() // 1000
