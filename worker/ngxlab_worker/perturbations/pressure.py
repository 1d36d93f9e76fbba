"""A process that puts pressure on the host for an interval: prepared in the sandbox, released, killed at its end."""

from collections.abc import Callable
from pathlib import Path

from ngxlab_worker.core.clock import monotonic_us
from ngxlab_worker.perturbations.action import ActionError, Cue, Done
from ngxlab_worker.sandbox import Child, Command

Spawn = Callable[[Command], Child]
"""Starts a child that is killed with the trial. From the main thread: children die with the thread that starts them."""
WATCH_S = 0.1


class PressureAction:
    """``child`` is gated until the interval begins. It cannot be restarted, so there is one interval only."""

    def __init__(self, child: Child) -> None:
        self._child = child

    def run(self, cue: Cue) -> Done:
        self._child.release()
        try:
            while (left_us := cue.ends_us - monotonic_us()) > 0 and cue.wait(min(WATCH_S, left_us / 1e6)):
                if self._child.wait(0) is not None:
                    raise ActionError(self._child.stderr_text() or "the process ended by itself and printed no reason")
            return Done(ok=True, detail=_written(self._child.pid))
        finally:
            self._child.kill()


def _written(pid: int) -> str:
    """The amount that a process has written so far, in words; empty where it is unknown or less than 1 MiB."""
    try:
        lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    except OSError:
        return ""
    size = next((int(line.split()[1]) for line in lines if line.startswith("wchar:")), 0)
    return f"{size >> 20} MiB written" if size >> 20 else ""
