"""The folder of a trial, which exists while the trial runs."""

import os
import shutil
from pathlib import Path
from uuid import UUID

from ngxlab_worker.core.files import open_regular
from ngxlab_worker.sandbox.identity import RunAs, hand_over, lend

SUBFOLDERS = ("temp",)
"""nginx creates the last part of its temporary paths itself, but not the folders above it."""


def make_folder(root: Path, trial_id: UUID, run_as: RunAs | None) -> Path:
    """An empty folder that only the trial's processes (and root) may enter. Raises ``OSError``."""
    root.mkdir(parents=True, exist_ok=True)
    root.chmod(0o711)  # the user that children run as may pass through, but not list it
    folder = root / str(trial_id)
    make_workplace(folder, run_as)
    return folder


def make_workplace(folder: Path, run_as: RunAs | None) -> Path:
    """An empty folder for one nginx (or whatever else) of the trial. Raises ``OSError``."""
    folder.mkdir()
    lend(folder, run_as)
    for name in SUBFOLDERS:
        (folder / name).mkdir()
        hand_over(folder / name, run_as)
    return folder


def make_readable(folder: Path) -> Path:
    """An empty folder in which the trial's processes can read and not write. Raises ``OSError``."""
    folder.mkdir()
    folder.chmod(0o755)  # whatever the umask: another user reads it
    return folder


def remove_folder(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


def read_bounded(path: Path, limit: int) -> str:
    """The first ``limit`` + 1 bytes as text; the last one shows that there is more. Empty where there is no file."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            return file.read(limit + 1).decode(errors="replace")
    except FileNotFoundError:
        return ""
