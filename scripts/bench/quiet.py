"""Whether other programs use this machine: a benchmark begins once they do not."""

import time
from pathlib import Path
from typing import NamedTuple

LIMIT = 0.05
"""The share of all CPUs' time that may be used while the private stack rests (it takes a tenth of that)."""
WINDOW_S = 5.0
PATIENCE_S = 600.0
_IDLE_FIELDS = (3, 4)
"""Idle and waiting for a disk, in the ``cpu`` line of ``/proc/stat``."""
_GUEST_FIELD = 8
"""From here on, times of guests, which user and nice have already."""


class Times(NamedTuple):
    """CPU time since boot, of all CPUs together, in ticks; what the hypervisor stole is used time."""

    used: int
    all: int

    @classmethod
    def read(cls, text: str | None = None) -> "Times":
        """From the text of ``/proc/stat``."""
        line = text if text is not None else _proc_stat()
        ticks = [int(field) for field in line.splitlines()[0].split()[1:]][:_GUEST_FIELD]
        return cls(sum(ticks) - sum(ticks[field] for field in _IDLE_FIELDS), sum(ticks))


def used_share(before: Times, after: Times) -> float:
    """The share of all CPUs' time between two readings, 0 to 1."""
    return (after.used - before.used) / max(1, after.all - before.all)


def wait_until_quiet(patience_s: float = PATIENCE_S) -> float:
    """Wait, and say so; return the share of the CPUs' time that was used in the last :data:`WINDOW_S`.

    Returns what it found last where the machine is not quiet within ``patience_s``: the figures then count as
    unresolved.
    """
    began = time.monotonic()
    while True:
        before = Times.read()
        time.sleep(WINDOW_S)
        share = used_share(before, Times.read())
        waited_s = time.monotonic() - began
        if share <= LIMIT:
            return share
        if waited_s > patience_s:
            print(f"    not quiet after {patience_s:.0f} s: the CPUs are {share:.0%} busy; the figures are unresolved")
            return share
        if waited_s < 2 * WINDOW_S:
            print(f"    the CPUs are {share:.0%} busy: waiting up to {patience_s:.0f} s for less than {LIMIT:.0%}")


def _proc_stat() -> str:
    with Path("/proc/stat").open(encoding="ascii") as file:
        return file.readline()
