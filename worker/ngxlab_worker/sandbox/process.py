"""What /proc tells of a process. Unless stated otherwise, raises ``ProcessLookupError`` once it has ended."""

import contextlib
import os
import select
import signal
import time
from pathlib import Path

import structlog

_CRASHES = {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSYS, signal.SIGXFSZ}
"""A program gets these for what it does itself."""


def killed_by(exit_code: int) -> str | None:
    """The name of the signal by which somebody else, or the kernel for want of memory, ended a process. ``exit_code``:
    negative, or 128 + n, for signal n. ``None`` where the process ended or crashed by itself."""
    number = -exit_code if exit_code < 0 else exit_code - 128
    if number not in set(signal.Signals) or number in _CRASHES:
        return None
    return signal.Signals(number).name


def children(pid: int) -> list[int]:
    """Direct children in the order they were started (proc_pid_task_children, needs CONFIG_PROC_CHILDREN)."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        raise ProcessLookupError(pid) from None


def cpus_allowed(pid: int) -> str:
    """The CPUs ``pid`` may use, in the kernel's list format, e.g. ``0-1``."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        raise ProcessLookupError(pid) from None
    return next(line.split()[1] for line in status.splitlines() if line.startswith("Cpus_allowed_list:"))


def thread_count(pid: int) -> int:
    try:
        return sum(1 for _ in Path(f"/proc/{pid}/task").iterdir())
    except (FileNotFoundError, ProcessLookupError):
        return 0


def socket_count(pid: int) -> int:
    """The number of sockets that ``pid`` has open. Takes about 3 us each, so do not call it in a measured window."""
    sockets = 0
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            sockets += str(link.readlink()).startswith("socket:")
        except FileNotFoundError:
            continue  # closed since it was listed
    return sockets


def await_exit(pid: int, timeout_s: float) -> bool:
    """Sleep until ``pid`` has exited, whether or not it is a child. ``False`` where it has not in time."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        return bool(poller.poll(max(0.0, timeout_s) * 1000))
    finally:
        os.close(descriptor)


DEATH_TIMEOUT_S = 2.0

log = structlog.get_logger(__name__)


def end_processes(folder: Path) -> None:
    """Kill all processes whose working directory is in ``folder``: that of our children always is.

    A process with a terminal is spared: it is the shell of somebody who is looking around.
    """
    deadline = time.monotonic() + DEATH_TIMEOUT_S
    for pid in [pid for pid in _pids() if _is_inside(pid, folder) and not _has_terminal(pid)]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            log.warning("ended a leftover process", pid=pid, folder=str(folder))
            await_exit(pid, deadline - time.monotonic())


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").glob("[0-9]*") if int(path.name) != os.getpid()]


def _is_inside(pid: int, folder: Path) -> bool:
    try:
        return Path(f"/proc/{pid}/cwd").readlink().is_relative_to(folder)
    except OSError:
        return False  # gone, or another user's


def _has_terminal(pid: int) -> bool:
    """tty_nr, the seventh field of /proc/PID/stat, is 0 for a process without a controlling terminal."""
    try:
        content = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return content.rpartition(")")[2].split()[4] != "0"
