"""The wall round a child where bubblewrap cannot work: Landlock for files, and the filter of system calls.

Run as ``python -I -S wall.py FILTER_FD FOLDER READABLE… -- PROGRAM ARGUMENTS…``; the program may drop rights, and gains
none. ``FILTER_FD``: holds a seccomp program, or ``-``. ``FOLDER``: the only one that may be written to.
``READABLE``: programs and files besides those of :data:`SYSTEM`. Where the kernel has no Landlock, only the filter is
applied. Standard library only, so that it starts within milliseconds.

Sources: the kernel's Documentation/userspace-api/landlock.rst and include/uapi/linux/landlock.h; seccomp(2).
"""

import ctypes
import os
import struct
import sys

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/sys/devices/system/cpu")
FILES = (
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/resolv.conf",
    "/proc/meminfo",
    "/proc/stat",
)
DEVICES = ("/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers everywhere
_VERSION, _BENEATH = 1, 1
_EXECUTE, _WRITE, _READ, _LIST = 1, 2, 4, 8
_OF_FILES = _EXECUTE | _WRITE | _READ | 1 << 14  # the last: to truncate
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights of files each version knows; later ones know no more."""
_SCOPED_SINCE, _SCOPES = 6, 3
"""Abstract Unix sockets and signals: not to what is outside the wall."""
_SECCOMP, _NO_NEW_PRIVILEGES, _FILTER = 22, 38, 2  # linux/prctl.h
_INSTRUCTION = 8

_libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    held, folder, *others = sys.argv[1:]
    end = others.index("--")
    _succeed(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    version = _libc.syscall(_CREATE_RULESET, None, 0, _VERSION)
    if version > 0:
        restrict_files(folder, others[:end], version)
    if held != "-":
        filter_calls(int(held))
    argv = others[end + 1 :]
    os.execvp(argv[0], argv)  # noqa: S606 — without a shell on purpose


def restrict_files(folder: str, readable: list[str], version: int) -> None:
    every = (1 << _RIGHTS[min(version, 5)]) - 1
    attributes = struct.pack("=QQQ", every, 0, _SCOPES if version >= _SCOPED_SINCE else 0)
    size = 24 if version >= _SCOPED_SINCE else 8
    ruleset = _succeed(_libc.syscall(_CREATE_RULESET, attributes, size, 0))
    allowed = dict.fromkeys((*SYSTEM, *readable), _EXECUTE | _READ | _LIST)
    allowed |= dict.fromkeys(FILES, _READ) | dict.fromkeys(DEVICES, _READ | _WRITE)
    for path, rights in {**allowed, folder: every}.items():
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # not on this system
        rights &= every if os.path.isdir(path) else every & _OF_FILES  # noqa: PLW2901, PTH112
        _succeed(_libc.syscall(_ADD_RULE, ruleset, _BENEATH, struct.pack("=Qi", rights, place), 0))
        os.close(place)
    _succeed(_libc.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def filter_calls(held: int) -> None:
    size = os.fstat(held).st_size
    program = ctypes.create_string_buffer(os.pread(held, size, 0), size)
    os.close(held)
    head = struct.pack("@HP", size // _INSTRUCTION, ctypes.addressof(program))
    _succeed(_libc.prctl(_SECCOMP, _FILTER, ctypes.c_char_p(head), 0, 0))


def _succeed(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        sys.exit(f"wall: {os.strerror(number)}")
    return result


if __name__ == "__main__":
    main()
