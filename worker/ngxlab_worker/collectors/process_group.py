"""Several processes that do one thing, as one."""

from collections.abc import Sequence

from ngxlab_worker.collectors.process import Identity, ProcessReading, TrackedProcess
from ngxlab_worker.collectors.reading import Notice


class TrackedGroup:
    """The processes of one generator: what each of them uses is added up, and their threads are numbered through.

    Raises ``FileNotFoundError`` where one of them does not exist. It is gone as soon as one of them is: sums over
    fewer would step back.
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
        """The sums now, or ``None`` once a process is gone."""
        readings = [member.read() for member in self._members]
        present = [reading for reading in readings if reading is not None]
        if len(present) < len(readings):
            return None
        if len(present) == 1:
            return present[0]  # whose threads keep their numbers when one of them ends
        columns = zip(*(reading.values for reading in present), strict=True)
        threads = (run_s for reading in present for run_s in reading.threads.values())
        return ProcessReading([_sum(column) for column in columns], dict(enumerate(threads)))

    def take_notices(self) -> list[Notice]:
        """What the processes' files did not tell, since the last time."""
        notices = [notice for member in self._members for notice in member.notices]
        for member in self._members:
            member.notices.clear()
        return notices

    def close(self) -> None:
        for member in self._members:
            member.close()


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
