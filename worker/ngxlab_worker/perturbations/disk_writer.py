"""Writes one file again and again, with an fsync after each piece. Standard library only: it runs in the sandbox.

Arguments: the file, the most bytes a second, and how many such programs run on this host.
"""

import os
import sys
import time

PIECE = 1 << 20
LARGEST_FILE = 256 << 20
SMALLEST_FILE = 8 << 20
LEAST_FREE_SHARE = 4
"""All files together take at most a quarter of the free space."""


def file_bytes(free: int, writers: int) -> int:
    """The size of each file, in whole pieces; 0 where there is too little space."""
    size = min(LARGEST_FILE, free // (LEAST_FREE_SHARE * writers)) // PIECE * PIECE
    return size if size >= SMALLEST_FILE else 0


def main() -> None:
    path, bytes_per_s, writers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    folder = os.statvfs(os.path.dirname(path))  # noqa: PTH120 — pathlib would triple the start
    size = file_bytes(folder.f_bavail * folder.f_frsize, writers)
    if size == 0:
        sys.exit("too little free space for disk pressure: it needs 32 MiB for each process")
    piece = os.urandom(PIECE)
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    due = time.monotonic()
    while True:
        for offset in range(0, size, PIECE):
            os.pwrite(file, piece, offset)
            os.fsync(file)
            # A slow disk must not be followed by a burst that makes up for the delay.
            due = max(due + PIECE / bytes_per_s, time.monotonic() - PIECE / bytes_per_s)
            time.sleep(max(0.0, due - time.monotonic()))


if __name__ == "__main__":
    main()
