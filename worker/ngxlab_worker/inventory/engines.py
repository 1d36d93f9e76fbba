"""The programs of our own load engines."""

from ngxlab_contracts.hosts import NATIVE_ENGINES, Capability

from ngxlab_worker.engines.idle_hold.engine import PROGRAM as HOLD
from ngxlab_worker.engines.native import ProgramMissingError, find_program
from ngxlab_worker.engines.open_loop.command import PROGRAM as OPEN_LOOP
from ngxlab_worker.inventory.programs import ProgramError, ask


def native() -> Capability:
    """Are they built, and does this kernel have what they need? Runs one of them."""
    try:
        programs = [find_program(name) for name in (OPEN_LOOP, HOLD)]
        answer = ask(str(programs[0]), "--check").strip()
    except (ProgramMissingError, ProgramError) as error:
        return Capability(name=NATIVE_ENGINES, available=False, detail=str(error))
    if answer != "ok":
        return Capability(name=NATIVE_ENGINES, available=False, detail=answer)
    return Capability(name=NATIVE_ENGINES, available=True, detail=", ".join(map(str, programs)))
