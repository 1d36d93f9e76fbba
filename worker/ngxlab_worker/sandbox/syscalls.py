"""A seccomp filter for scripts: sockets are for outgoing TCP only. Where they may go is the confinement's to say.

Sources: seccomp(2), the kernel's include/uapi/linux/{seccomp,filter,audit}.h and the architectures' call tables.
"""

import os
import platform
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOW, _DENY, _KILL = 0x7FFF0000, 0x00050001, 0x80000000
"""``_DENY``: the call fails with EPERM."""
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_X32 = 0x40000000
_STREAM, _TYPE_BITS = 1, 0xF
_FAMILIES = (2, 10)  # AF_INET, AF_INET6
_PROTOCOLS = (0, 6)  # the family's own, IPPROTO_TCP
_IO_URING_SETUP = 425
"""The same number everywhere. A ring could make sockets that this filter never sees."""


@dataclass(frozen=True)
class _Calls:
    architecture: int
    socket: int
    bind: int
    listen: int


_KNOWN = {
    "x86_64": _Calls(0xC000003E, socket=41, bind=49, listen=50),
    "aarch64": _Calls(0xC00000B7, socket=198, bind=200, listen=201),
}


@contextmanager
def tcp_clients_only() -> Iterator[int]:
    """A descriptor of the filter, as bubblewrap wants it. Raises ``LookupError`` where the calls are not known."""
    machine = platform.machine()
    if machine not in _KNOWN:
        raise LookupError(f"system calls of the architecture {machine} are not known")
    descriptor = os.memfd_create("ngxlab-seccomp")
    try:
        os.write(descriptor, _program(_KNOWN[machine]))
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def _program(calls: _Calls) -> bytes:
    """Jumps are forward only, so the last instructions are what they lead to."""
    argument = [_FIRST_ARGUMENT + 8 * number for number in range(3)]
    steps: list[tuple[int, int, str | None, str | None]] = [
        (_LOAD, _ARCHITECTURE, None, None),
        (_EQUAL, calls.architecture, None, "kill"),
        (_LOAD, _NUMBER, None, None),
        (_AT_LEAST, _X32, "deny", None),
        *((_EQUAL, number, "deny", None) for number in (calls.bind, calls.listen, _IO_URING_SETUP)),
        (_EQUAL, calls.socket, None, "allow"),
        (_LOAD, argument[0], None, None),
        (_EQUAL, _FAMILIES[0], "type", None),
        (_EQUAL, _FAMILIES[1], None, "deny"),
        (_LOAD, argument[1], None, None),  # type
        (_AND, _TYPE_BITS, None, None),
        (_EQUAL, _STREAM, None, "deny"),
        (_LOAD, argument[2], None, None),
        (_EQUAL, _PROTOCOLS[0], "allow", None),
        (_EQUAL, _PROTOCOLS[1], "allow", "deny"),
        (_RETURN, _ALLOW, None, None),
        (_RETURN, _DENY, None, None),
        (_RETURN, _KILL, None, None),
    ]
    last = len(steps)
    places = {
        "allow": last - 3,
        "deny": last - 2,
        "kill": last - 1,
        "type": steps.index((_LOAD, argument[1], None, None)),
    }

    def jump(place: str | None, here: int) -> int:
        return 0 if place is None else places[place] - here - 1

    return b"".join(
        struct.pack("=HBBI", code, jump(then, here), jump(otherwise, here), value)
        for here, (code, value, then, otherwise) in enumerate(steps)
    )
