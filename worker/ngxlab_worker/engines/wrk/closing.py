"""How much of wrk's last moments was not seen: what it counted then is in its print, and not in what was read."""

from dataclasses import dataclass

MOST_UNSEEN_SHARE = 0.003
"""Of the stream's life. Counts of requests are compared to 1 %, and must not differ because nobody was looking."""
ALWAYS_UNSEEN_US = 3_000
"""Between two looks at a wrk that ends, on an idle machine."""


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

    def doubt(self, now_us: int) -> str | None:
        """Why what was read may be less than what wrk completed, if it may be by more than is tolerated."""
        until_us = now_us if self._missed_us is None else self._missed_us
        unseen_us, life_us = until_us - self._last_read_us, self._last_read_us - self._began_us
        if unseen_us <= max(ALWAYS_UNSEEN_US, MOST_UNSEEN_SHARE * life_us):
            return None
        return f"up to {unseen_us / 1000:.0f} ms before wrk's end were not seen: the host was too busy"
