"""A real jobs service beside the backend under test: a process of its own, with the settings of the test.

As a program it reads what it is to be from standard input, so that no secret stands on a command line.
"""

import importlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ngxlab.core.config import Settings

_IMPATIENT = {"ngxlab.core.jobs.beat.PERIOD_S": 0.5, "ngxlab.core.jobs.beat.BUSY_S": 0.5}


@contextmanager
def jobs_service(
    settings: Settings, changes: Mapping[str, Any] | None = None, kinds: str | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """``changes``: attributes of modules by their dotted names. ``kinds``: a module that declares more kinds."""
    asked = pickle.dumps((settings, _IMPATIENT | dict(changes or {}), kinds))
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path}
    command = [sys.executable, __file__]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment, start_new_session=True)
    assert process.stdin is not None
    process.stdin.write(asked)
    process.stdin.close()
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # which it must survive; its own end takes three seconds
            process.wait()


def _main() -> int:
    settings, changes, kinds = pickle.loads(sys.stdin.buffer.read())
    jobs = importlib.import_module("ngxlab.jobs")
    if kinds is not None:
        importlib.import_module(kinds)
    for name, value in changes.items():
        module, _, attribute = name.rpartition(".")
        setattr(importlib.import_module(module), attribute, value)
    status: int = jobs.run(settings)
    return status


if __name__ == "__main__":
    sys.exit(_main())
