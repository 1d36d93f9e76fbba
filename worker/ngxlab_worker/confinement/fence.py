"""Control groups of version 2 whose processes can connect to one address and port only."""

import contextlib
import os
from pathlib import Path

from ngxlab_worker.confinement.connect_filter import fence
from ngxlab_worker.confinement.probe import ConfinementProbe
from ngxlab_worker.core import cgroups


def make_fence(name: str, number: int, only_to: tuple[str, int]) -> Path:
    """A group in the trial's own, which is made where it only exists in trees of version 1. Raises ``OSError``."""
    tree = cgroups.unified()
    if tree is None:
        raise OSError("no control groups of version 2 are mounted")
    group = tree.group(name) / f"fence-{number}"
    group.mkdir(parents=True)
    try:
        fence(group, *only_to)
    except OSError:
        remove_fence(group)
        raise
    return group


def remove_fence(group: Path) -> None:
    """Once its processes have ended. The trial's own group may still have others. Raises ``OSError``."""
    cgroups.remove_group(group)
    with contextlib.suppress(OSError):
        group.parent.rmdir()


def probe_fence() -> ConfinementProbe:
    """Whether this host can make one, determined by trying it."""
    try:
        remove_fence(make_fence(f"probe-{os.getpid()}", 0, ("127.0.0.1", 9)))
    except OSError as error:
        reason = error.strerror or str(error)
        return ConfinementProbe(
            available=False,
            detail=f"the kernel cannot keep scripts to the trial's target ({reason}), so they are refused: run "
            "the agent as root on Linux 5.1 or later with control groups of version 2 mounted and CONFIG_CGROUP_BPF",
        )
    return ConfinementProbe(
        available=True, detail="scripts reach the trial's target and nothing else: BPF programs look at each connect(2)"
    )
