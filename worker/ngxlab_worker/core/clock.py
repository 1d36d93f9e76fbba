"""The host's clock during one trial, and its offset from the backend's clock.

Both are based on CLOCK_MONOTONIC, which is the same for all processes of a host and is never stepped.
"""

import time
from collections import deque
from dataclasses import dataclass

from ngxlab_contracts.hosts import HeartbeatReply

_REMEMBERED = 24
_DRIFT_US = 20_000
"""Two clocks of crystals may drift apart so far while that many exchanges are made: 300 ppm in a minute."""


_EARLY_S = 0.01
"""A rest may end too early by so much."""


def monotonic_us() -> int:
    return time.monotonic_ns() // 1000


def aligned_rest_s(rest_s: float) -> float:
    """A rest that ends when those of all on this machine end that rest so long, a backend's loops included: what each
    asks then finds the caches of the processor warm, and costs half of what it costs by itself."""
    if rest_s <= _EARLY_S:
        return rest_s
    left_s = rest_s - time.monotonic() % rest_s
    return left_s if left_s > _EARLY_S else left_s + rest_s


@dataclass(frozen=True)
class HostClock:
    """The host's wall clock as read once, advanced by CLOCK_MONOTONIC, so that nobody can step it."""

    wall_minus_monotonic_us: int

    @classmethod
    def anchored_now(cls) -> "HostClock":
        return cls(time.time_ns() // 1000 - monotonic_us())

    def now_us(self) -> int:
        return monotonic_us() + self.wall_minus_monotonic_us


@dataclass(frozen=True)
class Offset:
    """CLOCK_MONOTONIC plus ``backend_minus_monotonic_us`` is the backend's clock; the error is at most rtt / 2."""

    backend_minus_monotonic_us: int
    rtt_us: int

    def against(self, clock: HostClock) -> int:
        """Backend's clock minus ``clock``, in microseconds."""
        return self.backend_minus_monotonic_us - clock.wall_minus_monotonic_us


def exchange(sent_us: int, reply: HeartbeatReply, received_us: int) -> Offset:
    """The offset by one NTP-style exchange (RFC 5905, section 8). ``sent_us`` and ``received_us``: CLOCK_MONOTONIC."""
    offset = ((reply.received_at_us - sent_us) + (reply.sent_at_us - received_us)) // 2
    rtt = (received_us - sent_us) - (reply.sent_at_us - reply.received_at_us)
    return Offset(offset, max(0, rtt))


class OffsetEstimator:
    """The offset by the exchange with the shortest round trip of the last 24, which was delayed the least.

    Two exchanges that contradict each other, beyond what their round trips and drifting clocks explain, show that the
    backend's clock was stepped (or the backend moved): those from before the step are forgotten at once.
    """

    def __init__(self) -> None:
        self._recent: deque[Offset] = deque(maxlen=_REMEMBERED)

    def add(self, offset: Offset) -> Offset:
        agreeing = (known for known in self._recent if _agree(known, offset))
        self._recent = deque([*agreeing, offset], maxlen=_REMEMBERED)
        return min(self._recent, key=lambda recent: recent.rtt_us)


def _agree(one: Offset, other: Offset) -> bool:
    difference = abs(one.backend_minus_monotonic_us - other.backend_minus_monotonic_us)
    return difference <= (one.rtt_us + other.rtt_us) // 2 + _DRIFT_US
