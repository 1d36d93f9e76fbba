"""Where the programs of our own engines are."""

import os
import shutil
import sys
from pathlib import Path


class ProgramMissingError(Exception):
    """The program was not built on this host. The text says how to mend it."""


def find_program(name: str) -> Path:
    """Beside this Python, where the set-up puts it, or on PATH. Raises ``ProgramMissingError``."""
    beside = Path(sys.prefix) / "bin" / name
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which(name)
    if found is None:
        raise ProgramMissingError(f"{name} is not built on this host: run make setup (it needs gcc and libssl-dev)")
    return Path(found)
