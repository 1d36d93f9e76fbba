"""Programs of this host: finding them, asking them for their version, and bounding what they print."""

import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_TIMEOUT_S = 5
_ATTEMPTS = 2
"""One silence proves nothing: the host may have been suspended, or this process stopped, while the program answered."""
_SETTLED_S = 2.0
"""A file that was changed so short a time ago may be changed again at the same ctime, which has steps."""


class ProgramError(Exception):
    """A file is not the program that it should be, or does not run. The message says why."""


def ask(path: str, option: str) -> str:
    """What the program prints on both streams, whatever its exit code. Raises :class:`ProgramError`."""
    for _ in range(_ATTEMPTS):
        try:
            answer = subprocess.run(
                [path, option],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            continue
        except (OSError, ValueError) as error:
            raise ProgramError(getattr(error, "strerror", None) or str(error)) from error
        return answer.stdout.decode("utf-8", errors="replace")
    raise ProgramError(f"no answer to {option} within {_TIMEOUT_S} s, asked {_ATTEMPTS} times")


def sha256(path: str) -> str:
    """The SHA-256 of the file's content, in hexadecimal. Raises :class:`ProgramError`.

    It is read once for as long as the file is the same: whoever changes it changes its ctime, which nobody can set.
    """
    try:
        with Path(path).open("rb") as file:
            state = _state(os.fstat(file.fileno()))
            if (known := _sums.get(path)) is not None and known[0] == state:
                return known[1]
            found = hashlib.file_digest(file, "sha256").hexdigest()
            if _state(os.fstat(file.fileno())) == state and time.time() - state.changed_ns / 1e9 > _SETTLED_S:
                _sums[path] = state, found
    except OSError as error:
        raise ProgramError(error.strerror or str(error)) from error
    return found


class _State(NamedTuple):
    """What differs once a file was changed or replaced."""

    device: int
    inode: int
    size: int
    changed_ns: int


_sums: dict[str, tuple[_State, str]] = {}


def _state(read: os.stat_result) -> _State:
    return _State(read.st_dev, read.st_ino, read.st_size, read.st_ctime_ns)


def is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except OSError:
        return False


def existing(candidates: Iterable[str]) -> list[str]:
    """The absolute paths of those that exist. A file with several names is listed once, by the first."""
    by_real_path: dict[str, str] = {}
    for candidate in candidates:
        if is_file(candidate):
            path = str(Path(candidate).absolute())
            by_real_path.setdefault(os.path.realpath(path), path)
    return list(by_real_path.values())


def on_path(name: str) -> list[str]:
    path = shutil.which(name)
    return [path] if path is not None else []


LONGEST = 2000
"""Characters of a reason or a note."""


def last_words(path: Path) -> str:
    """The end of a file, as printable text. Raises ``OSError``."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - LONGEST // 2))
        return printable(file.read().decode(errors="replace").strip())


def printable(text: str) -> str:
    """The first :data:`LONGEST` characters at most, without control characters other than line breaks and tabs."""
    cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}\u2026"
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in cut)
