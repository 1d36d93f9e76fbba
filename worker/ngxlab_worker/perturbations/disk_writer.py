"""Writes one file over and over, each piece followed by fsync. Standard library only: it runs alone, in the sandbox.

Arguments: the file, the bytes a second that are not exceeded, and how many such programs there are on this host.
"""

import os
import sys
import time

PIECE = 1 << 20
LARGEST_FILE = 256 << 20
SMALLEST_FILE = 8 << 20
LEAST_FREE_SHARE = 4
"""All files together take at most a quarter of what is free."""


def file_bytes(free: int, writers: int) -> int:
    """How large each of the files may become, in whole pieces; 0 where there is too little room."""
    size = min(LARGEST_FILE, free // (LEAST_FREE_SHARE * writers)) // PIECE * PIECE
    return size if size >= SMALLEST_FILE else 0


def main() -> None:
    path, bytes_per_s, writers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    folder = os.statvfs(os.path.dirname(path))  # noqa: PTH120 — pathlib would triple the start
    size = file_bytes(folder.f_bavail * folder.f_frsize, writers)
    if size == 0:
        sys.exit("too little free space for disk pressure")
    piece = os.urandom(PIECE)
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    due = time.monotonic()
    while True:
        for offset in range(0, size, PIECE):
            os.pwrite(file, piece, offset)
            os.fsync(file)
            # Time lost at a slow disk is not made up for by a burst.
            due = max(due + PIECE / bytes_per_s, time.monotonic() - PIECE / bytes_per_s)
            time.sleep(max(0.0, due - time.monotonic()))


if __name__ == "__main__":
    main()
