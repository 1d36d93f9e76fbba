"""Start one service: write its pid file, drop root if asked, make it end with its parent, then execute it.

A service that cannot work on a full disk is started once there is room: each attempt would fail, and supervisord waits
longer after each.

Run as a file with ``python -I -S`` by supervisord, so it must not import the rest of the repository. The pid and
the start time in the pid file stay valid for the service, as exec(2) changes neither.
"""

import argparse
import contextlib
import ctypes
import json
import os
import pwd
import resource
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

PR_SET_PDEATHSIG = 1
LOOK_EVERY_S = 0.5


def main() -> NoReturn:
    """Parse the options and become the command, or exit if the parent has ended meanwhile."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pidfile", type=Path, required=True)
    parser.add_argument("--user")
    parser.add_argument("--home", required=True)
    parser.add_argument("--death-signal", help="sent by the kernel when the parent dies; none: the service outlives it")
    parser.add_argument("--needs-bytes", type=int, default=0, help="wait until so many are free")
    parser.add_argument("--on-disk-of", type=Path)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    parent = os.getppid()
    with contextlib.suppress(OSError):  # a full disk: supervisord knows the process all the same
        note_pid(options.pidfile)
    raise_file_limit()
    os.umask(0o022)
    if options.user and os.geteuid() == 0:
        become(options.user)
    if options.death_signal:
        # After the change of user, which would clear it (prctl(2)).
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.Signals[options.death_signal])
        if os.getppid() != parent:
            sys.exit("the parent has ended")
    if options.needs_bytes:
        wait_for_room(options.on_disk_of, options.needs_bytes)
    os.environ["HOME"] = options.home
    os.execvp(options.command[0], options.command)


def note_pid(pidfile: Path) -> None:
    """Write what ``scripts.stack.processes.ProcessId`` reads."""
    stat = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    temporary = pidfile.with_suffix(".new")
    temporary.write_text(json.dumps({"pid": os.getpid(), "start_ticks": int(stat[19]), "boot_id": boot_id}))
    temporary.replace(pidfile)


def wait_for_room(folder: Path, needed_bytes: int) -> None:
    """Return once an unprivileged user may write ``needed_bytes`` to the disk of ``folder``."""
    while True:
        state = os.statvfs(folder)
        if state.f_bavail * state.f_frsize >= needed_bytes:
            return
        time.sleep(LOOK_EVERY_S)


def raise_file_limit() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def become(user: str) -> None:
    entry = pwd.getpwnam(user)
    os.initgroups(user, entry.pw_gid)
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)


if __name__ == "__main__":
    main()
