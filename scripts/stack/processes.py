"""Processes of the stack, identified by pid, start time and boot, so that a reused pid is never mistaken for one."""

import json
import os
import signal
import time
from collections.abc import Iterable, Iterator
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
        """The process in a pid file; ``None`` where there is no file, or an incomplete one."""
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
        """Send a signal if this is still the same process."""
        if self.alive():
            try:
                os.kill(self.pid, signum)
            except ProcessLookupError:
                return  # it has ended meanwhile, as the signal was to achieve

    def command(self) -> list[bytes]:
        """The words of its command line; none where it has ended."""
        try:
            return Path(f"/proc/{self.pid}/cmdline").read_bytes().split(b"\0") if self.alive() else []
        except (FileNotFoundError, ProcessLookupError):
            return []

    def age_s(self) -> float:
        ticks_per_s = os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - self.start_ticks / ticks_per_s


def boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def proc_text(pid: int, name: str) -> str:
    """A file of ``/proc/PID``, with blanks for zeros; empty where the process has ended."""
    try:
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace").replace("\0", " ").strip()
    except OSError:
        return ""


def descendants(pid: int) -> Iterator[int]:
    """All living processes below ``pid``."""
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        for word in proc_text(pid, f"task/{thread.name}/children").split():
            yield int(word)
            yield from descendants(int(word))


def living(run_folder: Path) -> dict[str, ProcessId]:
    found = {path.stem: ProcessId.read(path) for path in sorted(run_folder.glob("*.pid"))}
    return {name: process for name, process in found.items() if process is not None and process.alive()}


def end(processes: Iterable[ProcessId], signum: signal.Signals, patience_s: float) -> None:
    """Send ``signum``, wait, then kill what is left. Raises :class:`Failure` for a process that survives that."""
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
    """Wait at most ``patience_s`` seconds until all ``processes`` have ended. Returns whether they have."""
    waiting = list(processes)
    deadline = time.monotonic() + patience_s
    while any(process.alive() for process in waiting):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True
