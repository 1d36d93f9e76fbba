"""Removes what earlier instances of the agent left behind: processes, devices and folders of trials that are over.

Normally there is nothing to remove: the kernel or the guardian has ended the processes together with the agent.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import structlog

from ngxlab_worker.sandbox.process import await_exit
from ngxlab_worker.storage import StorageError, release
from ngxlab_worker.trial.folder import remove_folder

DEATH_TIMEOUT_S = 2.0

log = structlog.get_logger(__name__)


def nobody() -> None:
    """No trial is running."""


def reap(trials_root: Path, active: Callable[[], UUID | None] = nobody) -> None:
    """End and remove every trial under ``trials_root`` but the one that is ``active``.

    ``active`` is called after the folders are listed. A trial becomes active before it has a folder, so one that begins
    meanwhile is never taken for a leftover. What cannot be removed is logged and tried again the next time.
    """
    folders = list(trials_root.glob("*"))
    spared = active()
    for folder in folders:
        if folder.name == str(spared):
            continue
        try:
            end_processes(folder)
            release(folder)
            remove_folder(folder)
        except (OSError, StorageError) as error:
            log.error("cannot remove what an earlier agent left", folder=str(folder), error=str(error))
        except Exception:
            log.exception("cannot remove what an earlier agent left", folder=str(folder))
        else:
            log.info("removed what an earlier agent left", folder=str(folder))


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
