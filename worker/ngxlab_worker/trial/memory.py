"""Reads how much memory nginx's processes use, by what is mapped (proc(5), /proc/PID/smaps_rollup; from Linux 5.8)."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from ngxlab_contracts.telemetry import NginxMemory

from ngxlab_worker.core.kernel_files import PROC, read

_PART = re.compile(r"^Pss_(Anon|File|Shmem):\s+(\d+) kB$", re.MULTILINE)
_KIB = 1024


class Parts(NamedTuple):
    """Bytes, each page by the part of a process that shares it. nginx's zones are shared memory without a file."""

    own: int
    program: int
    zones: int


def parse(text: str) -> Parts | None:
    """``None`` where the kernel does not tell them apart."""
    found = {name: _KIB * int(size) for name, size in _PART.findall(text)}
    return Parts(found["Anon"], found["File"], found["Shmem"]) if len(found) == len(Parts._fields) else None


def nginx_memory(
    master: int, workers: Sequence[int], *, at: Literal["start", "end"], t_us: int, proc: Path = PROC
) -> NginxMemory | None:
    """``None`` where a process has ended, or the kernel does not show it."""
    every = [parse(read(proc / str(pid) / "smaps_rollup") or "") for pid in (master, *workers)]
    told = [one for one in every if one is not None]
    if len(told) < len(every) or not workers:
        return None
    return NginxMemory(
        t_us=t_us,
        at=at,
        workers=len(workers),
        own_bytes=sum(one.own for one in told[1:]),
        zones_bytes=sum(one.zones for one in told),
        program_bytes=sum(one.program for one in told[1:]),
    )
