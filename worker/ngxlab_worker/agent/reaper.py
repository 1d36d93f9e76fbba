"""Removes what earlier instances of the agent left behind: processes, devices and folders of trials that are over.

Normally there is nothing to remove: the kernel or the guardian has ended the processes together with the agent.
"""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import structlog

from ngxlab_worker.sandbox.process import end_processes
from ngxlab_worker.storage import StorageError, release
from ngxlab_worker.trial.folder import remove_folder

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
