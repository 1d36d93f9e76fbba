"""Control groups of version 2 whose processes can connect to one address and port only.

Two small BPF programs look at each connect(2) of the group, over IPv4 and IPv6, before the kernel does anything about
it; the connection itself costs nothing. Sources: bpf(2), and the kernel's include/uapi/linux/bpf.h (``bpf_sock_addr``,
``BPF_CGROUP_INET4_CONNECT``; Linux 5.1 or later).
"""

import contextlib
import ctypes
import os
import platform
import socket
import struct
import sys
from ipaddress import ip_address
from pathlib import Path

from ngxlab_contracts.hosts import Capability

from ngxlab_worker.core import cgroups


def make_fence(name: str, number: int, only_to: tuple[str, int]) -> Path:
    """A group in the trial's own, which is made where it only exists in trees of version 1. Raises ``OSError``."""
    tree = cgroups.unified()
    if tree is None:
        raise OSError("no control groups of version 2 are mounted")
    group = tree.group(name) / f"fence-{number}"
    group.mkdir(parents=True)
    try:
        fence(group, *only_to)
    except OSError:
        remove_fence(group)
        raise
    return group


def remove_fence(group: Path) -> None:
    """Once its processes have ended. The trial's own group may still have others. Raises ``OSError``."""
    cgroups.remove_group(group)
    with contextlib.suppress(OSError):
        group.parent.rmdir()


def probe_fence() -> Capability:
    """Whether this host can make one, determined by trying it."""
    try:
        remove_fence(make_fence(f"probe-{os.getpid()}", 0, ("127.0.0.1", 9)))
    except OSError as error:
        reason = error.strerror or str(error)
        detail = (
            f"the kernel cannot keep scripts to the trial's target ({reason}), so they are refused: run the agent as "
            "root on Linux 5.1 or later with control groups of version 2 mounted and CONFIG_CGROUP_BPF"
        )
        return Capability(name="script-fence", available=False, detail=detail)
    detail = "scripts reach the trial's target and nothing else: BPF programs look at each connect(2)"
    return Capability(name="script-fence", available=True, detail=detail)


_BPF_CALLS = {"x86_64": 321, "aarch64": 280}
_PROG_LOAD, _PROG_ATTACH = 5, 8
_CGROUP_SOCK_ADDR = 18
_INET4_CONNECT, _INET6_CONNECT = 10, 11
_ALLOW_MULTI = 2
"""Programs of groups further up, such as systemd's, keep their say."""
_USER_IP4, _USER_IP6, _USER_PORT = 4, 8, 24
"""Offsets in ``struct bpf_sock_addr``; all in network byte order."""
_LOAD_WORD, _SET, _JUMP_UNLESS, _EXIT = 0x61, 0xB7, 0x56, 0x95
"""r2 = *(u32 *)(r1 + offset); r0 = value; if (u32)r2 != value, skip; return r0."""

_libc = ctypes.CDLL(None, use_errno=True)


def fence(group: Path, address: str, port: int) -> None:
    """Applies to all processes that are or come into ``group``, of version 2. Raises ``OSError``."""
    target = ip_address(address)
    words = [int.from_bytes(target.packed[at : at + 4], sys.byteorder) for at in range(0, len(target.packed), 4)]
    first = _USER_IP4 if target.version == 4 else _USER_IP6
    wanted = [(first + 4 * number, word) for number, word in enumerate(words)]
    wanted.append((_USER_PORT, socket.htons(port)))
    own, other = (_INET4_CONNECT, _INET6_CONNECT) if target.version == 4 else (_INET6_CONNECT, _INET4_CONNECT)
    _attach(group, own, _only(wanted))
    _attach(group, other, _nothing())


def _only(wanted: list[tuple[int, int]]) -> bytes:
    """Allows the call if each word of the context at the given offset has the given value."""
    checks = b""
    for number, (offset, value) in enumerate(wanted):
        skipped = 2 * (len(wanted) - number) - 1  # to the exit, which returns 0
        checks += _instruction(_LOAD_WORD, 0x12, offset, 0) + _instruction(_JUMP_UNLESS, 0x02, skipped, value)
    allow = _instruction(_SET, 0, 0, 1)
    return _instruction(_SET, 0, 0, 0) + checks + allow + _instruction(_EXIT, 0, 0, 0)


def _nothing() -> bytes:
    return _instruction(_SET, 0, 0, 0) + _instruction(_EXIT, 0, 0, 0)


def _instruction(code: int, registers: int, offset: int, value: int) -> bytes:
    return struct.pack("=BBhI", code, registers, offset, value)


def _attach(group: Path, kind: int, program: bytes) -> None:
    instructions, licence = ctypes.create_string_buffer(program), ctypes.create_string_buffer(b"GPL")
    head = struct.pack("=IIQQ", _CGROUP_SOCK_ADDR, len(program) // 8, _at(instructions), _at(licence))
    # log_level, log_size, log_buf, kern_version, prog_flags, prog_name, prog_ifindex, expected_attach_type
    loaded = _bpf(_PROG_LOAD, head + struct.pack("=IIQII16sII", 0, 0, 0, 0, 0, b"ngxlab", 0, kind))
    try:
        descriptor = os.open(group, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _bpf(_PROG_ATTACH, struct.pack("=IIII", descriptor, loaded, kind, _ALLOW_MULTI))
        finally:
            os.close(descriptor)
    finally:
        os.close(loaded)


def _bpf(command: int, attributes: bytes) -> int:
    call = _BPF_CALLS.get(platform.machine())
    if call is None:
        raise OSError(f"BPF programs are not known for the architecture {platform.machine()}")
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    result = int(_libc.syscall(call, command, buffer, len(attributes)))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"bpf: {os.strerror(number)}")
    return result


def _at(buffer: "ctypes.Array[ctypes.c_char]") -> int:
    return ctypes.addressof(buffer)
