"""Whether a program of ours is built on this host and runs on its kernel."""

from ngxlab_contracts.engines import NATIVE_ENGINES
from ngxlab_contracts.hosts import Capability

from ngxlab_worker.core.programs import ProgramError, ask
from ngxlab_worker.engines.base import EngineInventory
from ngxlab_worker.engines.native.program import ProgramMissingError, find_program


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
