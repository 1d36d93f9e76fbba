"""Control groups of version 2 whose processes can connect to, and listen at, a few addresses and ports only.

Small BPF programs look at each connect(2), bind(2) and sendmsg(2) of the group, over IPv4 and IPv6, before the kernel
does anything about it; a connection itself costs nothing. Sources: bpf(2), and the kernel's include/uapi/linux/bpf.h
(``bpf_sock_addr``, ``BPF_CGROUP_INET4_CONNECT``; Linux 5.2 or later).
"""

import contextlib
import ctypes
import os
import platform
import socket
import struct
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from ngxlab_contracts.hosts import Capability

from ngxlab_worker.core import cgroups

Place = tuple[str, int]
"""An IP address and a port."""


@dataclass(frozen=True)
class Fence:
    """Where the sockets of a child may connect to, and where they may listen; by TCP, or by UDP once it is connected.

    A socket may also be bound without a port, as a client does to choose its address. ``answers``: the ports that
    answer by UDP, whoever asks: a server of QUIC sends to clients whose ports nobody knows before.
    """

    connects: tuple[Place, ...] = ()
    listens: tuple[Place, ...] = ()
    answers: tuple[int, ...] = ()


def make_fence(name: str, number: int, allowed: Fence) -> Path:
    """A group in the trial's own, which is made where it only exists in trees of version 1. Raises ``OSError``."""
    tree = cgroups.unified()
    if tree is None:
        raise OSError("no control groups of version 2 are mounted")
    group = tree.group(name) / f"fence-{number}"
    group.mkdir(parents=True)
    try:
        fence(group, allowed)
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
        remove_fence(make_fence(f"probe-{os.getpid()}", 0, Fence((("127.0.0.1", 9),))))
    except OSError as error:
        reason = error.strerror or str(error)
        detail = (
            f"the kernel cannot keep processes to the trial's own addresses ({reason}), so scripts are refused, and a "
            "trial of several hosts can reach whatever this host can: run the agent as root on Linux 5.2 or later with "
            "control groups of version 2 mounted and CONFIG_CGROUP_BPF"
        )
        return Capability(name="script-fence", available=False, detail=detail)
    detail = (
        "scripts, and all processes of a trial of several hosts, reach the trial's own addresses and nothing else: BPF "
        "programs look at each connect(2), bind(2) and sendmsg(2)"
    )
    return Capability(name="script-fence", available=True, detail=detail)


_BPF_CALLS = {"x86_64": 321, "aarch64": 280}
_PROG_LOAD, _PROG_ATTACH = 5, 8
_CGROUP_SOCK_ADDR = 18
_BIND, _CONNECT, _SENDMSG = {4: 8, 6: 9}, {4: 10, 6: 11}, {4: 14, 6: 15}
"""By the version of IP. The last is of datagrams to an address that is given with each."""
_ALLOW_MULTI = 2
"""Programs of groups further up, such as systemd's, keep their say."""
_USER_IP = {4: 4, 6: 8}
_USER_PORT = 24
"""Offsets in ``struct bpf_sock_addr``; all in network byte order."""
_SOCKET, _OWN_PORT = 64, 44
"""Offsets of ``sk`` there, and of the port that it is bound to in ``struct bpf_sock``, in the host's byte order."""
_LOAD_POINTER, _LOAD_WORD, _SET, _JUMP_IF, _JUMP_UNLESS, _EXIT = 0x79, 0x61, 0xB7, 0x16, 0x56, 0x95
"""r3 = *(void **)(r1 + offset); r2 = *(u32 *)(r1 + offset); r0 = value; if (u32)r2 == (!=) value, skip; return r0."""

_DENIAL = 2
"""The number of instructions that deny the call; those that allow it follow."""
_LONGEST = 32_000
"""A jump goes at most 32,767 instructions far."""

_libc = ctypes.CDLL(None, use_errno=True)


def fence(group: Path, allowed: Fence) -> None:
    """Applies to all processes that are or come into ``group``, of version 2. Raises ``OSError``."""
    for version in (4, 6):
        _attach(group, _BIND[version], _only(allowed.listens, version, or_port_0=True))
        _attach(group, _CONNECT[version], _only(allowed.connects, version))
        _attach(group, _SENDMSG[version], _from(allowed.answers))


def _only(places: Iterable[Place], version: int, *, or_port_0: bool = False) -> bytes:
    """A program that allows the call to these ``places`` of the IP ``version`` only."""
    ports_by_address = defaultdict[bytes, list[int]](list)
    for address, port in places:
        if (target := ip_address(address)).version == version:
            ports_by_address[target.packed].append(socket.htons(port))
    backwards: list[bytes] = []  # from its end, where it is known how far each jump goes
    for packed, ports in ports_by_address.items():
        for port in ports:
            backwards.append(_instruction(_JUMP_IF, 0x02, len(backwards) + _DENIAL, port))
        backwards.append(_instruction(_LOAD_WORD, 0x12, _USER_PORT, 0))
        skipped = len(ports) + 1
        for at in reversed(range(0, len(packed), 4)):
            word = int.from_bytes(packed[at : at + 4], sys.byteorder)
            backwards.append(_instruction(_JUMP_UNLESS, 0x02, skipped, word))
            backwards.append(_instruction(_LOAD_WORD, 0x12, _USER_IP[version] + at, 0))
            skipped += 2
    if or_port_0:
        backwards.append(_instruction(_JUMP_IF, 0x02, len(backwards) + _DENIAL, 0))
        backwards.append(_instruction(_LOAD_WORD, 0x12, _USER_PORT, 0))
    if len(backwards) > _LONGEST:
        raise OSError(f"more than some {_LONGEST} addresses and ports")
    allowing = _returning(1) if backwards else b""  # the kernel refuses instructions that are never reached
    return b"".join(reversed(backwards)) + _returning(0) + allowing


def _from(ports: Iterable[int]) -> bytes:
    """A program that allows the call to sockets that are bound to these ports only."""
    backwards: list[bytes] = []
    for port in ports:
        backwards.append(_instruction(_JUMP_IF, 0x02, len(backwards) + _DENIAL, port))
    if not backwards:
        return _returning(0)
    backwards.append(_instruction(_LOAD_WORD, 0x32, _OWN_PORT, 0))
    backwards.append(_instruction(_LOAD_POINTER, 0x13, _SOCKET, 0))
    return b"".join(reversed(backwards)) + _returning(0) + _returning(1)


def _returning(value: int) -> bytes:
    return _instruction(_SET, 0, 0, value) + _instruction(_EXIT, 0, 0, 0)


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
