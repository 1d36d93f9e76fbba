"""Parsers of the files below /proc/PID. Source: proc(5); the kernel's Documentation/scheduler/sched-stats.rst."""

from typing import NamedTuple

from ngxlab_worker.collectors.procfile import PAGE_BYTES, TICKS_PER_SECOND
from ngxlab_worker.collectors.reading import parser

_NS_PER_SECOND = 1_000_000_000


class ProcessStat(NamedTuple):
    """``state`` is the main thread's letter. Times are the whole process's, in ticks of 10 ms on most kernels."""

    state: str
    user_s: float
    system_s: float
    threads: int
    resident_bytes: int


class RunTime(NamedTuple):
    """Seconds on a CPU, and seconds runnable but waiting for one; of one thread."""

    run_s: float
    delay_s: float


class ProcessIo(NamedTuple):
    """Bytes read from and written to storage, not the page cache, and calls of read and write on any file.

    recv and send are not counted: nginx receives with recv, and answers with writev, which is counted.
    """

    read_bytes: int
    written_bytes: int
    read_syscalls: int
    write_syscalls: int


@parser
def parse_stat(data: bytes) -> ProcessStat:
    """/proc/PID/stat and /proc/PID/task/TID/stat. The name may hold spaces and parentheses: the last
    parenthesis ends it."""
    _, parenthesis, rest = data.rpartition(b")")
    if not parenthesis:
        raise ValueError(data)
    words = rest.split(None, 22)
    return ProcessStat(
        state=words[0].decode("ascii"),
        user_s=int(words[11]) / TICKS_PER_SECOND,
        system_s=int(words[12]) / TICKS_PER_SECOND,
        threads=int(words[17]),
        resident_bytes=int(words[21]) * PAGE_BYTES,
    )


@parser
def parse_state(data: bytes) -> str:
    """Only the state letter of a stat file."""
    return data.rpartition(b")")[2].split(None, 1)[0].decode("ascii")


@parser
def parse_schedstat(data: bytes) -> RunTime:
    """/proc/PID/schedstat: of the *main thread* only; below task/TID: of that thread."""
    run, delay, _ = data.split()
    return RunTime(int(run) / _NS_PER_SECOND, int(delay) / _NS_PER_SECOND)


@parser
def parse_io(data: bytes) -> ProcessIo:
    """/proc/PID/io: of the whole process, including threads that have ended."""
    fields = dict(line.split(b": ") for line in data.splitlines())
    return ProcessIo(
        read_bytes=int(fields[b"read_bytes"]),
        written_bytes=int(fields[b"write_bytes"]),
        read_syscalls=int(fields[b"syscr"]),
        write_syscalls=int(fields[b"syscw"]),
    )
