"""Fallback where the kernel allows no PID namespace: a process that kills its child when the agent has ended.

Run as ``python -I -S guardian.py LIFE_FD PROGRAM ARGUMENTS…``. ``LIFE_FD`` is the reading end of a pipe whose writing
end only the agent holds: its EOF means that the agent closed it or died. The child leads a process group of its own;
as a subreaper, the guardian also becomes the parent of processes that left that group. It exits with the child's exit
code, once no process is left. Standard library only, so that it starts within milliseconds.
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
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # otherwise Python's handler catches a SIGINT sent before the exec
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    child = os.fork()
    if child == 0:
        os.setsid()
        os.close(life)
        os.execvp(argv[0], argv)  # noqa: S606 — without a shell on purpose
    watcher = os.pidfd_open(child)
    poller = select.poll()
    poller.register(life, select.POLLIN)
    poller.register(watcher, select.POLLIN)
    if any(descriptor == life for descriptor, _ in poller.poll()):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    _end_stragglers()
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def _end_stragglers() -> None:
    """Kill and reap until this process has no descendants: each generation of orphans becomes its children."""
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
