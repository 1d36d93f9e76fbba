"""Reads latency counts from the memory of a running, unmodified wrk.

wrk 4.x (``src/stats.h``) keeps ``struct { u64 count, limit, min, max; u64 data[limit]; }`` indexed by latency in
microseconds, allocated once with calloc. It is too large for the heap, so it begins a few bytes into a page of an
anonymous mapping. ``limit`` is the timeout in ms * 1000 + 1, which identifies it. Pages that wrk has never written to
do not exist yet: /proc/PID/pagemap shows which do, and only those are read (proc_pid_pagemap(5)).
"""

import errno
import os
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ngxlab_worker.engines.histogram import Counts

PAGE = os.sysconf("SC_PAGE_SIZE")
HEADER = struct.Struct("<4Q")
OFFSETS_IN_PAGE = (0x10, 0x18)
"""After malloc's chunk header, with or without the length that wrk's zmalloc writes before it."""
UNTOUCHED_MIN = 2**64 - 1
IN_RAM_OR_SWAP = np.uint64(0b11 << 62)


class WrkGoneError(Exception):
    """wrk has ended, and its memory is gone."""


class MemoryUnreadableError(Exception):
    """The histogram cannot be read; the message says why. ``permanent``: trying again cannot succeed."""

    def __init__(self, message: str, *, permanent: bool) -> None:
        super().__init__(message)
        self.permanent = permanent


@dataclass(frozen=True)
class Header:
    count: int
    limit: int
    min_us: int
    max_us: int

    def plausible(self, limit: int) -> bool:
        if self.limit != limit:
            return False
        if self.count == 0:
            return self.min_us == UNTOUCHED_MIN and self.max_us == 0
        return self.min_us <= self.max_us < limit


class WrkMemory:
    """Reads one wrk. It needs wrk's uid or CAP_SYS_PTRACE, and a kernel that lets parents read their children."""

    def __init__(self, pid: int, timeout_s: int) -> None:
        self._limit = timeout_s * 1_000_000 + 1
        self._pid = pid
        self._address: int | None = None
        self._memory: int | None = None
        self._pagemap: int | None = None

    def close(self) -> None:
        for descriptor in (self._memory, self._pagemap):
            if descriptor is not None:
                os.close(descriptor)
        self._memory = self._pagemap = None

    def snapshot(self) -> Counts:
        """Every response so far. Raises ``MemoryUnreadableError`` or ``WrkGoneError``."""
        try:
            if self._address is None:
                self._open()
                self._address = self._locate()
            return self._data(self._address, self._header(self._address))
        except PermissionError as error:
            reason = (
                f"the kernel does not allow reading wrk's memory ({error.strerror}): set kernel.yama.ptrace_scope to 1"
            )
            raise MemoryUnreadableError(reason, permanent=True) from error
        except (FileNotFoundError, ProcessLookupError) as error:
            raise WrkGoneError from error
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            raise WrkGoneError from error  # it ends, or has just given this memory back: the next reading finds out

    def _open(self) -> None:
        # Opened again at each attempt: a descriptor opened before exec stays bound to the old image.
        self.close()
        self._memory = os.open(f"/proc/{self._pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            self._pagemap = os.open(f"/proc/{self._pid}/pagemap", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._pagemap = None  # then all pages are read, which is slower and just as exact

    def _locate(self) -> int:
        for start, end in _anonymous_mappings(self._pid, self._limit * 8):
            for page in self._touched_pages(start, end):
                for offset in OFFSETS_IN_PAGE:
                    address = int(page) * PAGE + offset
                    if self._is_histogram(address, end):
                        return address
        raise MemoryUnreadableError("wrk's memory holds no latency histogram (not wrk 4.x?)", permanent=False)

    def _is_histogram(self, address: int, end: int) -> bool:
        if address + HEADER.size + self._limit * 8 > end:
            return False
        before = self._header(address)
        if not before.plausible(self._limit):
            return False
        # wrk adds to data[] and then to count, from several threads: each may be between the two.
        total, after = self._data(address, before).total, self._header(address)
        slack = 256  # the most threads a stream may have
        return before.count - slack <= total <= after.count + slack

    def _header(self, address: int) -> Header:
        return Header(*HEADER.unpack(self._read(address, HEADER.size)))

    def _data(self, address: int, header: Header) -> Counts:
        if header.count == 0:
            return Counts.empty()
        base = address + HEADER.size
        first, last = base + header.min_us * 8, base + (header.max_us + 1) * 8
        latencies: list[NDArray[np.int64]] = []
        counts: list[NDArray[np.int64]] = []
        for start, end in self._touched_ranges(first, last):
            cells = np.frombuffer(self._read(start, end - start), dtype=np.int64)
            filled = np.flatnonzero(cells)
            latencies.append(filled + (start - base) // 8)
            counts.append(cells[filled])
        if not latencies:
            return Counts.empty()
        return Counts(np.concatenate(latencies), np.concatenate(counts))

    def _touched_ranges(self, first: int, last: int) -> list[tuple[int, int]]:
        """``[first, last)`` without the pages that wrk has never written to, as ranges of addresses."""
        pages = self._touched_pages(first, last)
        if not pages.size:
            return []
        breaks = np.flatnonzero(np.diff(pages) != 1) + 1
        starts = pages[np.concatenate(([0], breaks))] * PAGE
        ends = (pages[np.concatenate((breaks - 1, [pages.size - 1]))] + 1) * PAGE
        return [(max(first, int(a)), min(last, int(b))) for a, b in zip(starts, ends, strict=True)]

    def _touched_pages(self, start: int, end: int) -> NDArray[np.int64]:
        first, last = start // PAGE, -(-end // PAGE)
        pages = np.arange(first, last, dtype=np.int64)
        if self._pagemap is None:
            return pages
        entries = np.frombuffer(os.pread(self._pagemap, (last - first) * 8, first * 8), dtype=np.uint64)
        touched: NDArray[np.int64] = pages[: entries.size][(entries & IN_RAM_OR_SWAP) != 0]
        return touched

    def _read(self, address: int, size: int) -> bytes:
        assert self._memory is not None  # noqa: S101 — opened before any reading
        data = os.pread(self._memory, size, address)
        if len(data) < size:
            raise WrkGoneError  # the kernel reads nothing from a process that is exiting
        return data


def _anonymous_mappings(pid: int, at_least: int) -> list[tuple[int, int]]:
    mappings = []
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        span, mode, _, _, _, *name = line.split()
        start, end = (int(word, 16) for word in span.split("-"))
        if mode == "rw-p" and not name and end - start >= at_least:
            mappings.append((start, end))
    return mappings
