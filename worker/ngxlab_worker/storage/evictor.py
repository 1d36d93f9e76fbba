"""Evicts files from the page cache again and again, until its standard input is closed, as it is when the agent ends.

Run as ``python -I -S evictor.py EVERY_MS FOLDER COUNT [FOLDER COUNT …]`` for the files ``FOLDER/0`` to ``COUNT-1``.
It is a process of its own, so that it does not delay the agent, nor the agent it. It pauses for at least as long as a
pass took, so that it never uses more than half a core. Before each pass it counts how many pages of one file are in
memory, another file each time. At the end it prints a line of JSON, which ``cold.py`` reads.
Standard library only. Sources: posix_fadvise(2), mincore(2).
"""

import ctypes
import json
import mmap
import os
import select
import sys
import time

PROT_READ, MAP_SHARED = 1, 1
_MAP_FAILED = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)
_libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
_libc.mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)


def main() -> None:
    every_s, files = int(sys.argv[1]) / 1000, _open_all(sys.argv[2:])
    began = due = time.monotonic()
    passes = resident = looked = 0
    while not select.select([0], [], [], max(0.0, due - time.monotonic()))[0]:
        pass_began = time.monotonic()
        present, pages = pages_in_memory(files[passes % len(files)])
        resident, looked = resident + present, looked + pages
        for descriptor in files:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        passes += 1
        ended = time.monotonic()
        due = max(due + every_s, ended + (ended - pass_began))
    seconds, cpu_s = time.monotonic() - began, time.process_time()
    json.dump({"passes": passes, "seconds": seconds, "cpu_s": cpu_s, "seen": looked, "in": resident}, sys.stdout)


def pages_in_memory(descriptor: int) -> tuple[int, int]:
    """Numbers of a file's pages in the page cache, and of all its pages. The file is mapped, but not read."""
    size = os.fstat(descriptor).st_size
    if size == 0:
        return 0, 0
    pages = -(-size // mmap.PAGESIZE)
    address = _libc.mmap(None, size, PROT_READ, MAP_SHARED, descriptor, 0)
    if address == _MAP_FAILED:
        raise OSError(ctypes.get_errno(), "mmap")
    try:
        flags = ctypes.create_string_buffer(pages)
        if _libc.mincore(address, size, flags) != 0:
            raise OSError(ctypes.get_errno(), "mincore")
    finally:
        _libc.munmap(address, size)
    return sum(byte & 1 for byte in flags.raw), pages


def _open_all(words: list[str]) -> list[int]:
    pairs = zip(words[::2], words[1::2], strict=True)
    return [os.open(f"{folder}/{number}", os.O_RDONLY) for folder, count in pairs for number in range(int(count))]


if __name__ == "__main__":
    main()
