"""Processes of a trial that nothing holds any more: whoever held them was killed."""

import contextlib
import os
import signal
import time
from pathlib import Path

import structlog

from ngxlab_worker.sandbox.process import await_exit

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
