"""Records of trials whose window was moved lately.

Who moves a window mostly moves it again, and reading a trial costs more than computing it.
"""

import threading
from collections import OrderedDict
from dataclasses import replace

from ngxlab.analysis.records import TrialRecord
from ngxlab.runs.models import Trial

_MOST_BYTES = 64 << 20


def key_of(trial: Trial) -> str | None:
    """``None`` for a trial that has never been summarised: what is read of it for the first time is not kept at hand.

    Its data change only while hosts report, and never without the time of their last batch.
    """
    if trial.summary is None:
        return None
    latest = max((host.last_batch_at for host in trial.hosts if host.last_batch_at), default=None)
    return f"{trial.id} {latest.isoformat() if latest else ''}"


class RecordsAtHand:
    """Of one process; those used last, up to a number of bytes. Threads may use it at once."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._records: OrderedDict[str, tuple[TrialRecord, int]] = OrderedDict()
        self._bytes = 0

    def keep(self, key: str, record: TrialRecord) -> None:
        """Without what was worked out of it for one window."""
        record, size = replace(record, hosts=[replace(host) for host in record.hosts]), _size(record)
        with self._lock:
            self._drop(key)
            self._records[key] = record, size
            self._bytes += size
            while self._bytes > self._most_bytes:
                self._drop(next(iter(self._records)))

    def get(self, key: str) -> TrialRecord | None:
        with self._lock:
            if key not in self._records:
                return None
            self._records.move_to_end(key)
            return self._records[key][0]

    def is_full(self) -> bool:
        """Whether one more record would drop another."""
        with self._lock:
            mean = self._bytes / len(self._records) if self._records else 0
            return self._bytes + mean > self._most_bytes

    def _drop(self, key: str) -> None:
        self._bytes -= self._records.pop(key, (None, 0))[1]


def _size(record: TrialRecord) -> int:
    """About: readings and histograms, which are nearly all of it."""
    tables = (table for host in record.hosts for table in host.tables.values())
    histograms = (interval.histogram for host in record.hosts for interval in host.intervals)
    return sum(t_us.nbytes + values.nbytes for t_us, values in tables) + sum(len(one or "") for one in histograms)
