"""Console output of the tools: steps with their duration, and failures with advice."""

import errno
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

TAIL_LINES = 30


class Failure(Exception):
    """A tool cannot continue. ``hint`` says what the user can do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def say(text: str) -> None:
    """Print a line and flush, so that it appears at once even in a pipe."""
    print(text, flush=True)


def require(*packages: str) -> None:
    """Raises :class:`Failure` where the program of a Debian package of the same name is missing."""
    if missing := [package for package in packages if shutil.which(package) is None]:
        raise Failure(f"not installed: {', '.join(missing)}", f"apt-get install {' '.join(missing)}")


def check(holds: object, otherwise: str) -> None:
    """Raises :class:`Failure` that says what is, where something does not hold."""
    if not holds:
        raise Failure(otherwise)


@contextmanager
def step(name: str) -> Iterator[None]:
    say(f"==> {name}")
    started = time.monotonic()
    yield
    say(f"    {name}: done in {time.monotonic() - started:.1f} s")


def run(
    command: Sequence[str | Path],
    *,
    hint: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    given: str = "",
) -> str:
    """Run ``command`` quietly, with ``given`` as its standard input, and return its standard output.

    Raises :class:`Failure` with the end of its output where it does not exit with 0.
    """
    try:
        done = subprocess.run(
            command, cwd=cwd, env=env, input=given, capture_output=True,
            text=True, errors="replace", check=False,
        )  # fmt: skip
    except OSError as error:
        raise Failure(f"cannot run {command[0]}: {error.strerror}", hint) from error
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-TAIL_LINES:])
        shown = " ".join(str(part) for part in command[:4])
        raise Failure(f"'{shown} …' exited with {done.returncode}:\n{tail}", hint)
    return done.stdout


def main_guard(main: Callable[[], int]) -> int:
    """Run a tool's ``main``; a :class:`Failure` becomes a message and exit code 1, Ctrl-C exit code 130."""
    try:
        return main()
    except Failure as failure:
        print(f"\nERROR: {failure}", file=sys.stderr)
        if failure.hint:
            print(f"What to do: {failure.hint}", file=sys.stderr)
        return 1
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print(f"\nERROR: the disk is full: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
