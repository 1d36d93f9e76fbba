"""Fallback where the kernel grants no PID namespace: a process that ends its charge when the agent is gone.

Run as ``python -I -S guardian.py LIFE_FD PROGRAM ARGUMENTS…``. ``LIFE_FD`` is the reading end of a pipe whose writing
end only the agent holds: its EOF means "the agent let go, or died". The charge leads a process group of its own;
being a subreaper, the guardian also gets hold of whatever left that group. It exits as the charge did, and only after
nothing of it is left. Standard library only, so that it starts within milliseconds.
"""

import contextlib
import ctypes
import os
import select
import signal
import sys
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def main() -> int:
    life, argv = int(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # else Python's handler swallows one sent before the exec
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    charge = os.fork()
    if charge == 0:
        os.setsid()
        os.close(life)
        os.execvp(argv[0], argv)  # noqa: S606 — no shell is the point
    watcher = os.pidfd_open(charge)
    poller = select.poll()
    poller.register(life, select.POLLIN)
    poller.register(watcher, select.POLLIN)
    if any(descriptor == life for descriptor, _ in poller.poll()):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(charge, signal.SIGKILL)
    _, status = os.waitpid(charge, 0)
    _end_stragglers()
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def _end_stragglers() -> None:
    """Kill and reap until this process has no descendant: orphans become our children one generation at a time."""
    own = os.getpid()
    while True:
        for word in Path(f"/proc/{own}/task/{own}/children").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(word), signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


if __name__ == "__main__":
    sys.exit(main())
