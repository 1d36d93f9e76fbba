"""What the server itself uses on this host while a trial measures: the services of the stack that started this agent.

The stack says where it keeps their pid files. They are read twice in a trial, at both ends of its measured window.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from ngxlab_contracts.telemetry import ServerUse

AGENT = "agent"
"""The service whose use the readings tell already; its children are the trial."""
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_PARENT_FIELD, _CPU_FIELDS, _START_FIELD = 1, slice(11, 15), 19
"""Fields of ``/proc/PID/stat`` behind the name: the parent; CPU time, own and of ended children; the start."""


class _Service(NamedTuple):
    pid: int
    start_ticks: int


class _Use(NamedTuple):
    at_us: int
    cpu_s: dict[str, float]
    services: dict[str, _Service]


@dataclass
class ServerUseMeter:
    """``folder`` has a file NAME.pid of each service, ``None`` where no server is known; ``now_us`` is the host's
    clock."""

    folder: Path | None
    now_us: Callable[[], int]
    proc: Path = Path("/proc")
    _before: _Use | None = field(default=None, init=False)
    _after: _Use | None = field(default=None, init=False)
    _reader: Thread | None = field(default=None, init=False)

    def begin(self) -> None:
        self._before = self._read()

    def end(self) -> None:
        """The measured window has ended. Nobody waits for the reading: it takes longer the more processes there are."""
        self._reader = Thread(target=self._read_end, name="server-use", daemon=True)
        self._reader.start()

    def used(self) -> ServerUse | None:
        """After :meth:`end`; ``None`` where there is nothing to tell."""
        if self._reader is not None:
            self._reader.join()
        before, after = self._before, self._after
        if before is None or after is None:
            return None
        seconds = (after.at_us - before.at_us) / 1e6
        if before.services != after.services:
            return ServerUse(t_us=after.at_us, seconds=seconds, cpu_s={}, is_changed=True)
        used = {name: max(0.0, round(cpu_s - before.cpu_s[name], 3)) for name, cpu_s in after.cpu_s.items()}
        return ServerUse(t_us=after.at_us, seconds=seconds, cpu_s=used)

    def _read_end(self) -> None:
        self._after = self._read()

    def _read(self) -> _Use | None:
        if self.folder is None:
            return None
        services = dict(_services(self.folder))
        families = _families(self.proc)
        alive = {name: one for name, one in services.items() if families.start_of(one.pid) == one.start_ticks}
        if not alive:
            return None
        heads = {one.pid for one in alive.values()}
        cpu_s = {name: families.cpu_s(one.pid, heads) for name, one in alive.items() if name != AGENT}
        return _Use(self.now_us(), cpu_s, alive)


def _services(folder: Path) -> Iterator[tuple[str, _Service]]:
    for file in sorted(folder.glob("*.pid")):
        with suppress(OSError, ValueError, TypeError, KeyError):  # one that is being written or removed
            stored = json.loads(file.read_text())
            yield file.stem, _Service(int(stored["pid"]), int(stored["start_ticks"]))


@dataclass(frozen=True)
class _Families:
    """All processes of this machine: the fields of their ``stat``, and their children."""

    stats: dict[int, list[str]]
    children: dict[int, list[int]]

    def start_of(self, pid: int) -> int | None:
        return int(self.stats[pid][_START_FIELD]) if pid in self.stats else None

    def cpu_s(self, pid: int, heads: set[int]) -> float:
        """CPU time of a process with all its descendants, but for those that are ``heads`` of their own."""
        own = sum(map(int, self.stats[pid][_CPU_FIELDS])) * _TICK_S
        return own + sum(self.cpu_s(child, heads) for child in self.children.get(pid, []) if child not in heads)


def _families(proc: Path) -> _Families:
    stats: dict[int, list[str]] = {}
    children: dict[int, list[int]] = {}
    for folder in proc.iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):  # it has ended meanwhile
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                stats[int(folder.name)] = fields
                children.setdefault(int(fields[_PARENT_FIELD]), []).append(int(folder.name))
    return _Families(stats, children)
