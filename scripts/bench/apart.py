"""CPUs of its own for the nginx of a trial, where there is only one machine."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ngxlab_worker.sandbox.process import children

from scripts.bench.lab import Lab
from scripts.bench.results import NotMeasuredError
from scripts.stack.processes import living

FILE_BYTES = 20_000


def packing(definition: dict[str, Any]) -> None:
    """Have nginx pack a file for each answer: work for nginx, and little for who asks."""
    definition["nginx"] |= {
        "files": [{"folder": "pages", "count": 1, "size_bytes": FILE_BYTES, "content": "html"}],
        "server": (
            "keepalive_requests 1000000000;\nroot @@folder@@/files;\ndefault_type text/html;\n"
            "gzip on;\ngzip_comp_level 6;\nlocation / { }"
        ),
    }
    for stream in definition["streams"]:
        stream |= {"path": "/pages/0", "headers": {"Accept-Encoding": "gzip"}}


@contextmanager
def nginx_apart(lab: Lab) -> Iterator[None]:
    """The first CPU for the nginx that runs now, the others for the product, the load and this process."""
    every = os.sched_getaffinity(0)
    if len(every) < 2:
        raise NotMeasuredError("this machine has one CPU: nginx cannot have one to itself")
    first = {min(every)}
    nginx, others = _parted(lab)
    if not nginx:
        raise NotMeasuredError("no nginx runs")
    try:
        _pin(nginx, first)
        _pin(others, every - first)
        yield
    finally:
        _pin(_everybody(lab), every)


def _parted(lab: Lab) -> tuple[list[int], list[int]]:
    everybody = _everybody(lab)
    nginx = [pid for pid in everybody if _name(pid) == "nginx"]
    return nginx, [pid for pid in everybody if pid not in nginx]


def _everybody(lab: Lab) -> list[int]:
    """All processes of the stack and of the trial, and this one."""
    found = [os.getpid()]
    waiting = [process.pid for process in living(lab.settings.run).values()]
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.append(pid)
            waiting += children(pid)
    return found


def _name(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def _pin(pids: Iterable[int], cpus: set[int]) -> None:
    for pid in pids:
        with suppress(OSError):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                os.sched_setaffinity(int(thread.name), cpus)
