"""What the kernel has counted of processes: waits, switches, moves and page faults (proc(5)). It counts them anyway."""

import re
from collections.abc import Iterable
from pathlib import Path

from ngxlab_contracts.profiles import KernelCounts

from ngxlab_worker.core.kernel_files import PROC, read

_VOLUNTARY = re.compile(r"^voluntary_ctxt_switches:\s+(\d+)", re.MULTILINE)
_INVOLUNTARY = re.compile(r"^nonvoluntary_ctxt_switches:\s+(\d+)", re.MULTILINE)
_MIGRATIONS = re.compile(r"^se\.nr_migrations\s*:\s*(\d+)", re.MULTILINE)
_MINOR_FAULTS, _MAJOR_FAULTS = 7, 9
"""Places in ``/proc/PID/stat`` behind the process's name."""


def counted(pids: Iterable[int]) -> KernelCounts | None:
    """So far, of all threads that these processes have now; ``None`` where one of them has ended."""
    found = [_of_process(PROC / str(pid)) for pid in pids]
    whole = [one for one in found if one is not None]
    return _sum(whole) if len(whole) == len(found) > 0 else None


def between(before: KernelCounts | None, after: KernelCounts | None) -> KernelCounts | None:
    """What was counted meanwhile; ``None`` where that is less than nothing, as a thread has taken its counts along."""
    if before is None or after is None:
        return None
    earlier, later = before.model_dump(), after.model_dump()
    found = {
        name: None if later[name] is None or earlier[name] is None else later[name] - earlier[name] for name in later
    }
    if any(value is not None and value < 0 for value in found.values()):
        return None
    return KernelCounts(**found)


def _of_process(folder: Path) -> KernelCounts | None:
    threads = [_of_thread(thread) for thread in sorted(folder.glob("task/[0-9]*"))]
    whole = [one for one in threads if one is not None]
    faults = (read(folder / "stat") or "").rpartition(")")[2].split()
    if not whole or len(whole) < len(threads) or len(faults) <= _MAJOR_FAULTS:
        return None
    return _sum(whole).model_copy(
        update={"minor_faults": int(faults[_MINOR_FAULTS]), "major_faults": int(faults[_MAJOR_FAULTS])}
    )


def _of_thread(folder: Path) -> KernelCounts | None:
    status, schedule = read(folder / "status"), read(folder / "schedstat")
    voluntary, involuntary = _VOLUNTARY.search(status or ""), _INVOLUNTARY.search(status or "")
    if schedule is None or voluntary is None or involuntary is None:
        return None
    moved = _MIGRATIONS.search(read(folder / "sched") or "")
    return KernelCounts(
        cpu_wait_us=int(schedule.split()[1]) // 1000,
        waits=int(voluntary[1]),
        preemptions=int(involuntary[1]),
        migrations=int(moved[1]) if moved is not None else None,
        minor_faults=0,
        major_faults=0,
    )


def _sum(parts: list[KernelCounts]) -> KernelCounts:
    columns = {name: [getattr(part, name) for part in parts] for name in KernelCounts.model_fields}
    return KernelCounts(**{name: None if None in values else sum(values) for name, values in columns.items()})
