"""Processes of the stack, known by pid, start time and boot, so that a pid used again is never taken for ours."""

import json
import os
import signal
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from scripts.console import Failure

POLL_S = 0.05
START_TICKS_FIELD = 19
"""Index of ``starttime`` (field 22 of proc(5)'s stat) once pid and comm are cut off."""


@dataclass(frozen=True)
class ProcessId:
    """``start_ticks`` are clock ticks since boot, as in ``/proc/PID/stat``."""

    pid: int
    start_ticks: int
    boot_id: str

    @classmethod
    def of(cls, pid: int) -> "ProcessId | None":
        """The process that has ``pid`` now; ``None`` where there is none, or only a zombie."""
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        if fields[0] in "ZX":
            return None
        return cls(pid, int(fields[START_TICKS_FIELD]), boot_id())

    @classmethod
    def read(cls, pidfile: Path) -> "ProcessId | None":
        """What a pid file says; ``None`` where there is none or it was cut short."""
        try:
            return cls(**json.loads(pidfile.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def write(self, pidfile: Path) -> None:
        temporary = pidfile.with_suffix(".new")
        temporary.write_text(json.dumps(asdict(self)))
        temporary.replace(pidfile)

    def alive(self) -> bool:
        return ProcessId.of(self.pid) == self

    def send(self, signum: signal.Signals) -> None:
        """Signal it if it still is the same process."""
        if self.alive():
            try:
                os.kill(self.pid, signum)
            except ProcessLookupError:
                return  # it went in between, which is what signals are for here

    def age_s(self) -> float:
        """Seconds since it started."""
        ticks_per_s = os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - self.start_ticks / ticks_per_s


def boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def living(run_folder: Path) -> dict[str, ProcessId]:
    """Processes of the pid files in ``run_folder`` that live, by name."""
    found = {path.stem: ProcessId.read(path) for path in sorted(run_folder.glob("*.pid"))}
    return {name: process for name, process in found.items() if process is not None and process.alive()}


def end(processes: Iterable[ProcessId], signum: signal.Signals, patience_s: float) -> None:
    """Ask with ``signum``, wait, and kill what has not gone. Raises :class:`Failure` if even that is not enough."""
    remaining = list(processes)
    for process in remaining:
        process.send(signum)
    if wait_gone(remaining, patience_s):
        return
    for process in remaining:
        process.send(signal.SIGKILL)
    if not wait_gone(remaining, patience_s):
        stuck = ", ".join(str(process.pid) for process in remaining if process.alive())
        raise Failure(f"processes cannot be killed: {stuck}", "they hang in the kernel; look at dmesg")


def wait_gone(processes: Iterable[ProcessId], patience_s: float) -> bool:
    """Wait until none of ``processes`` lives, at most ``patience_s`` seconds. Returns whether that is so."""
    waiting = list(processes)
    deadline = time.monotonic() + patience_s
    while any(process.alive() for process in waiting):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True
