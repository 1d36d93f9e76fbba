"""Ends an agent that stands still in the middle of its work, and with it all that it started.

A process that is stopped (SIGSTOP, a debugger) neither dies nor reacts, so what it started would go on without
anybody. This program, in a session of its own, expects a sign of life each second, and kills the process once none
has come for :data:`PATIENCE_S`: SIGKILL ends stopped processes too. Namespaces and guardians do the rest, as after
any other death of the agent.

Run as ``python -I -S dead_mans_switch.py LIFE_FD PID_FD REPORT``. ``LIFE_FD``: the reading end of a pipe, which closes
with the work. ``PID_FD``: a pidfd of the process. ``REPORT``: the file that then says what happened. Standard library
only, so that it starts within milliseconds.
"""

import os
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path

PATIENCE_S = 10.0


def main() -> None:
    life, process, report = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    # Its own process group is stopped by nobody by accident; a terminal that closes must not end it either.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    while _sign_of_life(life):
        pass
    if not _readable(life, 0):
        with suppress(OSError):  # a full disk must not keep it from its task
            report.write_text(f"the agent stood still for {PATIENCE_S:g} s, so all that it had started was ended")
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(process, signal.SIGKILL)


def _sign_of_life(life: int) -> bool:
    """Whether one came in time. False also when the pipe closes: the work is done, or the agent has ended."""
    return _readable(life, PATIENCE_S) and bool(os.read(life, 4096))


def _readable(life: int, within_s: float) -> bool:
    poller = select.poll()  # select.select() knows the first 1,024 files of a process only, and the agent may have more
    poller.register(life, select.POLLIN)
    return bool(poller.poll(within_s * 1000))


if __name__ == "__main__":
    main()
