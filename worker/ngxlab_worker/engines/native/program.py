"""Finds the programs of our own engines."""

import os
import shutil
import sys
from pathlib import Path


class ProgramMissingError(Exception):
    """The program has not been built on this host. The message says how to fix it."""


def find_program(name: str) -> Path:
    """The program beside this Python, where the set-up installs it, or on PATH. Raises ``ProgramMissingError``."""
    beside = Path(sys.prefix) / "bin" / name
    if os.access(beside, os.X_OK):
        return beside
    path = shutil.which(name)
    if path is None:
        raise ProgramMissingError(f"{name} is not built on this host: run `make setup` (it needs gcc and libssl-dev)")
    return Path(path)
