"""How this host enforces the owner's caps, determined by trying it."""

import os
from dataclasses import dataclass
from pathlib import Path

from ngxlab_worker.confinement.bounds import Bounds
from ngxlab_worker.confinement.group import Group

_FILES = "file bytes by a limit of each file and a watch of the trial's folder"


@dataclass(frozen=True)
class ConfinementProbe:
    """``available``: the kernel itself bounds the sum of all children. ``detail``: what is enforced, and how."""

    available: bool
    detail: str


def probe_confinement() -> ConfinementProbe:
    """Create and remove a group; takes about a millisecond."""
    name = f"probe-{os.getpid()}"
    try:
        group = Group.create(name, Bounds(1 << 30, 16, 0), Path("/proc"))
        group.remove()
    except OSError as error:
        reason = error.strerror or str(error)
        return ConfinementProbe(
            available=False,
            detail=f"no control group for memory and processes ({reason}): limits of each process and a watch of their "
            f"sum instead; {_FILES}. Run the agent as root where control groups are writable",
        )
    return ConfinementProbe(
        available=True, detail=f"memory, processes and threads by control group v{group.version}; {_FILES}"
    )
