"""Clocks: the host's for one trial, and how far the backend's is from it.

Everything rests on CLOCK_MONOTONIC, which all processes of a host share and nobody steps.
"""

import time
from collections import deque
from dataclasses import dataclass

from ngxlab_contracts.hosts import HeartbeatReply

_REMEMBERED = 32


def monotonic_us() -> int:
    return time.monotonic_ns() // 1000


@dataclass(frozen=True)
class HostClock:
    """The host's wall clock as it was at one instant, advanced by CLOCK_MONOTONIC: it cannot be stepped."""

    wall_minus_monotonic_us: int

    @classmethod
    def anchored_now(cls) -> "HostClock":
        return cls(time.time_ns() // 1000 - monotonic_us())

    def now_us(self) -> int:
        """Microseconds since the epoch."""
        return monotonic_us() + self.wall_minus_monotonic_us


@dataclass(frozen=True)
class Offset:
    """``backend_minus_monotonic_us``: add it to CLOCK_MONOTONIC for the backend's clock; error at most rtt / 2."""

    backend_minus_monotonic_us: int
    rtt_us: int

    def against(self, clock: HostClock) -> int:
        """Backend's clock minus ``clock``, in microseconds."""
        return self.backend_minus_monotonic_us - clock.wall_minus_monotonic_us


def exchange(sent_us: int, reply: HeartbeatReply, received_us: int) -> Offset:
    """One NTP-style exchange (RFC 5905, section 8); our two times are CLOCK_MONOTONIC."""
    offset = ((reply.received_at_us - sent_us) + (reply.sent_at_us - received_us)) // 2
    rtt = (received_us - sent_us) - (reply.sent_at_us - reply.received_at_us)
    return Offset(offset, max(0, rtt))


class OffsetEstimator:
    """The offset of the exchange with the shortest round trip among the last 32: it was delayed the least."""

    def __init__(self) -> None:
        self._recent: deque[Offset] = deque(maxlen=_REMEMBERED)

    def add(self, offset: Offset) -> Offset:
        self._recent.append(offset)
        return min(self._recent, key=lambda known: known.rtt_us)
