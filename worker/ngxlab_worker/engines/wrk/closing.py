"""How much of wrk's last moments was not read. What it counted then is in its report, but not in our readings."""

from dataclasses import dataclass

TOLERATED_SHARE = 0.005
"""This share of all requests may be missing without an excuse: counts are compared to 1 %."""
BURST = 2.0
"""wrk may have run at up to this many times its average rate while it was not read."""


@dataclass
class ClosingWatch:
    """Of one stream; all times are microseconds of CLOCK_MONOTONIC."""

    _began_us: int = 0
    _last_read_us: int = 0
    _missed_us: int | None = None

    def begin(self, now_us: int) -> None:
        """wrk has been released."""
        self._began_us = self._last_read_us = now_us

    def read(self, began_us: int) -> None:
        """A reading that began at ``began_us`` has all that wrk had completed by then."""
        self._last_read_us, self._missed_us = began_us, None

    def missed(self, now_us: int) -> None:
        """A reading failed: wrk has ended since the last one."""
        self._missed_us = now_us if self._missed_us is None else self._missed_us

    def excuse(self, now_us: int, seen: int, printed: int) -> str | None:
        """Why fewer requests were read than wrk printed, if the time after the last reading explains it: then the
        histograms lack that end, and no count is wrong. ``None`` where none lack, or it does not explain them."""
        until_us = now_us if self._missed_us is None else self._missed_us
        unseen_us, life_us = until_us - self._last_read_us, until_us - self._began_us
        lacking = printed - seen
        if lacking <= TOLERATED_SHARE * printed or lacking * life_us > BURST * printed * unseen_us:
            return None
        return f"the last {unseen_us / 1000:.0f} ms of wrk could not be read, since the host was too busy"
