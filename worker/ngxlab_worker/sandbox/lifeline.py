"""Signs of life of an agent's process while it works: see ``dead_mans_switch.py``."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ngxlab_worker.sandbox import dead_mans_switch
from ngxlab_worker.sandbox.launcher import SandboxError

BEAT_S = 1.0
END_TIMEOUT_S = 2.0


@contextmanager
def lifeline(report: Path) -> Iterator[None]:
    """Meanwhile this process is killed where it stands still for ten seconds, and ``report`` then says so.

    Raises ``SandboxError`` where the switch cannot be started.
    """
    reading, writing = os.pipe()
    process = os.pidfd_open(os.getpid())
    argv = [sys.executable, "-I", "-S", str(dead_mans_switch.__file__), str(reading), str(process), str(report)]
    try:
        switch = subprocess.Popen(argv, stdin=subprocess.DEVNULL, start_new_session=True, pass_fds=(reading, process))
    except OSError as error:
        os.close(writing)
        raise SandboxError(f"cannot start the dead man's switch: {error}") from error
    finally:
        os.close(reading)
        os.close(process)
    done = threading.Event()
    beats = threading.Thread(target=_beat, args=(writing, done), name="lifeline", daemon=True)
    beats.start()
    try:
        yield
    finally:
        done.set()
        beats.join()
        os.close(writing)
        _end(switch)


def _end(switch: "subprocess.Popen[bytes]") -> None:
    """It ends by itself now, unless somebody has stopped it."""
    try:
        switch.wait(END_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        switch.kill()
        switch.wait()


def _beat(writing: int, done: threading.Event) -> None:
    os.set_blocking(writing, False)
    while not done.wait(BEAT_S):
        # Full: the switch itself stands still. Broken: somebody ended it. The work goes on.
        with suppress(BlockingIOError, BrokenPipeError):
            os.write(writing, b"\n")
