"""Readings of several processes that work as one."""

from collections.abc import Sequence

from ngxlab_worker.collectors.process import Identity, ProcessReading, TrackedProcess
from ngxlab_worker.collectors.reading import Notice


class TrackedGroup:
    """The processes of one generator: their values are added up, and their threads are numbered consecutively.

    Raises ``FileNotFoundError`` where one of them does not exist. The group has ended as soon as one of them has: sums
    over fewer processes would decrease.
    """

    def __init__(self, identity: Identity, pids: Sequence[int], proc: str = "/proc") -> None:
        self.identity = identity
        self._members: list[TrackedProcess] = []
        try:
            for pid in pids:
                self._members.append(TrackedProcess(identity, pid, proc))
        except FileNotFoundError:
            self.close()
            raise

    def read(self) -> ProcessReading | None:
        """The sums now, or ``None`` once a process has ended."""
        readings = [member.read() for member in self._members]
        present = [reading for reading in readings if reading is not None]
        if len(present) < len(readings):
            return None
        if len(present) == 1:
            return present[0]  # its threads keep their numbers when one of them ends
        columns = zip(*(reading.values for reading in present), strict=True)
        threads = (run_s for reading in present for run_s in reading.threads.values())
        return ProcessReading([_sum(column) for column in columns], dict(enumerate(threads)))

    def take_notices(self) -> list[Notice]:
        """The notices since the last call."""
        notices = [notice for member in self._members for notice in member.notices]
        for member in self._members:
            member.notices.clear()
        return notices

    def close(self) -> None:
        for member in self._members:
            member.close()


def _sum(values: Sequence[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return sum(present) if len(present) == len(values) else None
