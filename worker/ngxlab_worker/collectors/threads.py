"""The threads of one process: their states, and their time on a CPU."""

from collections import Counter
from collections.abc import Iterable

from ngxlab_worker.collectors.process_files import RunTime, parse_schedstat, parse_state
from ngxlab_worker.collectors.procfile import ProcFile, list_folder

STATES = ("R", "S", "D", "other")

GONE = (FileNotFoundError, ProcessLookupError)
"""Raised by reading below /proc/PID once the process or the thread has ended."""


def count_states(letters: Iterable[str]) -> list[float | None]:
    """Numbers of threads in each of :data:`STATES`."""
    counts = Counter(letter if letter in STATES else "other" for letter in letters)
    return [float(counts[state]) for state in STATES]


class Thread:
    """``ordinal``: 0 for the main thread, then in the order of thread ids."""

    def __init__(self, ordinal: int, tid: int, process_fd: int) -> None:
        self.ordinal = ordinal
        self.last = RunTime(0.0, 0.0)
        self._stat = ProcFile(f"task/{tid}/stat", dir_fd=process_fd)
        self._schedstat = ProcFile(f"task/{tid}/schedstat", dir_fd=process_fd)

    def state(self) -> str:
        return parse_state(self._stat.read())

    def run_time(self) -> RunTime:
        self.last = parse_schedstat(self._schedstat.read())
        return self.last

    def close(self) -> None:
        self._stat.close()
        self._schedstat.close()


class Threads:
    """Follows the threads of a process, and lists them again only when their number has changed.

    The sums keep the last values of a thread that has ended, so that they never decrease.
    """

    def __init__(self, process_fd: int) -> None:
        self._process_fd = process_fd
        self._threads: dict[int, Thread] = {}
        self._started = 0
        self._ended_run_s = 0.0
        self._ended_delay_s = 0.0

    def follow(self, count: int) -> None:
        """Bring the list up to date; ``count`` is what /proc/PID/stat says. Raises one of :data:`GONE`."""
        if count == len(self._threads):
            return
        tids = {int(name) for name in list_folder("task", dir_fd=self._process_fd)}
        for tid in self._threads.keys() - tids:
            self._end(tid)
        for tid in sorted(tids - self._threads.keys()):
            self._threads[tid] = Thread(self._started, tid, self._process_fd)
            self._started += 1

    def states(self) -> list[str]:
        """A state letter for each thread that is alive."""
        letters = []
        for tid, thread in list(self._threads.items()):
            try:
                letters.append(thread.state())
            except GONE:
                self._end(tid)
        return letters

    def run_times(self) -> dict[int, RunTime]:
        """Run times of the threads that are alive, by ordinal."""
        times = {}
        for tid, thread in list(self._threads.items()):
            try:
                times[thread.ordinal] = thread.run_time()
            except GONE:
                self._end(tid)
        return times

    def total(self, living: Iterable[RunTime]) -> RunTime:
        """The sum over the threads ``living`` and those that have ended."""
        times = list(living)
        return RunTime(
            self._ended_run_s + sum(time.run_s for time in times),
            self._ended_delay_s + sum(time.delay_s for time in times),
        )

    def close(self) -> None:
        for thread in self._threads.values():
            thread.close()
        self._threads.clear()

    def _end(self, tid: int) -> None:
        thread = self._threads.pop(tid)
        thread.close()
        self._ended_run_s += thread.last.run_s
        self._ended_delay_s += thread.last.delay_s
