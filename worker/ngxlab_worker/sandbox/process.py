"""What /proc says of one process. Readings of a process that is gone raise ``ProcessLookupError``."""

import os
import select
from pathlib import Path


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
    """Living threads; 0 when the process is gone."""
    try:
        return sum(1 for _ in Path(f"/proc/{pid}/task").iterdir())
    except (FileNotFoundError, ProcessLookupError):
        return 0


def socket_count(pid: int) -> int:
    """Open sockets of ``pid``: about 3 us each, so not for use inside a measured window."""
    found = 0
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found += str(link.readlink()).startswith("socket:")
        except FileNotFoundError:
            continue  # closed between listing and reading
    return found


def await_exit(pid: int, timeout_s: float) -> bool:
    """Sleep until ``pid`` (a child not yet reaped, or anybody) has exited; ``False`` when time ran out."""
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
