"""Reads files of procfs repeatedly without opening them again."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ngxlab_worker.collectors.reading import Metric, Reading, Table, Values

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")

_CHUNK = 16_384


class ProcFile:
    """A file of procfs, kept open and read from offset 0 each time, which costs half as much as opening it again.

    A file below ``/proc/PID`` stays bound to that process: once it has ended, reading raises ``ProcessLookupError``
    even if another process has its id.
    """

    def __init__(self, path: str, *, dir_fd: int | None = None) -> None:
        self.path = path
        self._dir_fd = dir_fd
        self._fd: int | None = None

    def read(self) -> bytes:
        """The whole content. Raises ``OSError``; the next call then opens the file again."""
        if self._fd is None:
            self._fd = os.open(self.path, os.O_RDONLY, dir_fd=self._dir_fd)
        try:
            return _read_all(self._fd)
        except OSError as error:
            self.close()
            error.filename = error.filename or self.path
            raise

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _read_all(fd: int) -> bytes:
    """The kernel returns files of many records (diskstats, net/dev) in parts of at most a page, split between records.

    So a part shorter than half a page is the last one, since no record of the files read here is that long.
    """
    data = part = os.pread(fd, _CHUNK, 0)
    while len(part) >= PAGE_BYTES // 2:
        part = os.pread(fd, _CHUNK, len(data))
        data += part
    return data


def list_folder(path: str, *, dir_fd: int) -> list[str]:
    """The names in a folder of procfs. Raises ``OSError``."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY, dir_fd=dir_fd)
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries]
    finally:
        os.close(folder)


@dataclass(frozen=True)
class Source:
    """A file and its parser. An ``optional`` file that is missing (kernel module not loaded) adds no columns."""

    path: str
    parse: Callable[[bytes], Values]
    optional: bool = False


class Machine(NamedTuple):
    """Where the kernel's files are. ``devices``: the trial's own block devices, read even if their kind is left out."""

    proc: str = "/proc"
    sys_block: Path = Path("/sys/block")
    devices: frozenset[str] = frozenset()


class FileCollector:
    def __init__(self, name: str, metrics: Sequence[Metric], sources: Sequence[Source]) -> None:
        self.name = name
        self.sources = tuple(sources)
        self._table = Table(metrics)
        self._files = [(source, ProcFile(source.path)) for source in sources]

    def read(self) -> Reading:
        values: Values = {}
        for source, file in self._files:
            try:
                data = file.read()
            except FileNotFoundError:
                if not source.optional:
                    raise
                continue
            values.update(source.parse(data))
        return self._table.reading(values)

    def close(self) -> None:
        for _, file in self._files:
            file.close()
