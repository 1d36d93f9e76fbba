"""Opens files in folders where a trial's processes can create names too: no link is followed, no device opened."""

import errno
import os
import stat
from pathlib import Path


def open_regular(path: Path, flags: int) -> int:
    """A descriptor of the regular file at ``path``, created with mode 0644 where ``flags`` say so.

    The folders above it must be such that only this process's user can replace them. Raises ``OSError``, also for
    links, pipes and devices, of which none is waited for.
    """
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return descriptor


def write_new(path: Path, text: str) -> None:
    """Write a file that everybody may read, in place of whatever has its name. Raises ``OSError``."""
    path.unlink(missing_ok=True)
    with os.fdopen(open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o644)  # whatever the umask
        file.write(text)
