"""The programs of our own engines: where they are, and whether they run on this host's kernel."""

import os
import shutil
import sys
from pathlib import Path

from ngxlab_contracts.engines import NATIVE_ENGINES
from ngxlab_contracts.hosts import Capability

from ngxlab_worker.core.programs import ProgramError, ask
from ngxlab_worker.engines.base import EngineInventory


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


def native_inventory(program: str, *, runs_check: bool = False) -> EngineInventory:
    """``runs_check``: it is run with ``--check``, which prints ``ok`` or what this kernel lacks."""
    try:
        path = str(find_program(program))
        answer = ask(path, "--check").strip() if runs_check else "ok"
    except (ProgramMissingError, ProgramError) as error:
        return EngineInventory((Capability(name=NATIVE_ENGINES, available=False, detail=str(error)),))
    detail = path if answer == "ok" else answer
    return EngineInventory((Capability(name=NATIVE_ENGINES, available=answer == "ok", detail=detail),))


def native_programs(program: str) -> list[str]:
    """Its path, if it is built."""
    try:
        return [str(find_program(program))]
    except ProgramMissingError:
        return []
