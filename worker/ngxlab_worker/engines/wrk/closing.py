"""How much of wrk's last moments was not seen: what it counted then is in its print, and not in what was read."""

from dataclasses import dataclass

TOLERATED_SHARE = 0.005
"""Of all requests may be missing without a word: counts are compared to 1 %."""
BURST = 2.0
"""So many times its average pace wrk may have gone on while nobody looked."""


@dataclass
class ClosingWatch:
    """Of one stream; all times are microseconds of CLOCK_MONOTONIC."""

    _began_us: int = 0
    _last_read_us: int = 0
    _missed_us: int | None = None

    def begin(self, now_us: int) -> None:
        """wrk was released."""
        self._began_us = self._last_read_us = now_us

    def read(self, began_us: int) -> None:
        """Its counts were read, with all that it had completed at ``began_us``."""
        self._last_read_us, self._missed_us = began_us, None

    def missed(self, now_us: int) -> None:
        """They could not be read any more: it ended at some time since the last reading, and by now."""
        self._missed_us = now_us if self._missed_us is None else self._missed_us

    def excuse(self, now_us: int, seen: int, printed: int) -> str | None:
        """Why fewer requests were seen than wrk printed, where its unseen end explains it; then the counts must not
        be held against each other. ``None`` where there is nothing to explain, or where that does not explain it."""
        until_us = now_us if self._missed_us is None else self._missed_us
        unseen_us, life_us = until_us - self._last_read_us, until_us - self._began_us
        lacking = printed - seen
        if lacking <= TOLERATED_SHARE * printed or lacking * life_us > BURST * printed * unseen_us:
            return None
        return f"the last {unseen_us / 1000:.0f} ms of wrk were not seen, as the host was too busy"
