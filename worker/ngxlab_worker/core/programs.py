"""Finding programs of this host and asking them for their version."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

_TIMEOUT_S = 5
_ATTEMPTS = 2
"""One silence proves nothing: the host may have been suspended, or this process stopped, while the program answered."""


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
    """Of the file's content, in hexadecimal. Raises :class:`ProgramError`."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ProgramError(error.strerror or str(error)) from error


def is_file(path: str) -> bool:
    """Whether there is a file that this user can see."""
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
    """The program that PATH gives for ``name``, if any."""
    path = shutil.which(name)
    return [path] if path is not None else []
