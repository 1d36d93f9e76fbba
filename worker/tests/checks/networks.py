"""What a network namespace can be given: connection tracking, and a slow link. Both are gone with the namespace."""

import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

CONNTRACK = Path("/proc/sys/net/netfilter")
_TUN = Path("/dev/net/tun")
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
_SIOCETHTOOL, _ETHTOOL_GSET, _ETHTOOL_SSET, _SPEED_AT = 0x8946, 1, 2, 12
_NFTABLES, _BATCH_BEGIN, _BATCH_END, _NEW_TABLE, _NEW_CHAIN, _NEW_RULE = 10, 0x10, 0x11, 0xA00, 0xA03, 0xA06
_REQUEST, _CREATE, _NESTED = 0x001, 0x400, 0x8000


def track_connections() -> None:
    """A rule that asks for a packet's state makes the kernel track connections; written as nft(8) would, by netlink
    (linux/netfilter/nf_tables.h). Skips the test where the kernel cannot."""
    if not (CONNTRACK / "nf_conntrack_max").exists():
        pytest.skip("this kernel has no connection-tracking table")
    hook = _attribute(4 | _NESTED, _number(1, 3) + _number(2, 0))  # output, priority 0
    state = _attribute(1, b"ct\0") + _attribute(2 | _NESTED, _number(1, 1) + _number(2, 0))
    rule = _attribute(4 | _NESTED, _attribute(1 | _NESTED, state))
    messages = [
        _message(_BATCH_BEGIN, 0, _NFTABLES, b""),
        _message(_NEW_TABLE, socket.AF_INET, 0, _attribute(1, b"t\0")),
        _message(_NEW_CHAIN, socket.AF_INET, 0, _in_table(3) + hook + _attribute(7, b"filter\0")),
        _message(_NEW_RULE, socket.AF_INET, 0, _in_table(2) + rule),
        _message(_BATCH_END, 0, _NFTABLES, b""),
    ]
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12) as netfilter:
        netfilter.sendto(b"".join(messages), (0, 0))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"", ("127.0.0.1", 9))
    if not int((CONNTRACK / "nf_conntrack_count").read_text()):
        pytest.skip("this kernel takes no rules of nftables")


@contextmanager
def busy_slow_link() -> Iterator[None]:
    """A tunnel of 1 Mbit/s that carries as much as it is given, and is given much more. Skips without tunnels."""
    if not _TUN.exists():
        pytest.skip("this kernel has no tunnels")
    tunnel, ended = os.open(_TUN, os.O_RDWR | os.O_NONBLOCK), threading.Event()
    try:
        fcntl.ioctl(tunnel, _TUNSETIFF, struct.pack("16sH", b"slow0", _IFF_TUN | _IFF_NO_PI))
        _set_speed(b"slow0", 1)
        subprocess.run(["ip", "address", "add", "10.9.9.1/24", "dev", "slow0"], check=True)
        subprocess.run(["ip", "link", "set", "slow0", "up"], check=True)
        sender = threading.Thread(target=_send_until, args=(ended, tunnel))
        sender.start()
        yield
        ended.set()
        sender.join()
    finally:
        ended.set()
        os.close(tunnel)


def _send_until(ended: threading.Event, tunnel: int) -> None:
    """What the tunnel carries is read at once, so that nothing is dropped."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        while not ended.wait(0.01):
            for _ in range(20):
                sender.sendto(bytes(1200), ("10.9.9.2", 9))
                try:
                    os.read(tunnel, 2048)
                except BlockingIOError:
                    continue


def _set_speed(device: bytes, mbps: int) -> None:
    settings = bytearray(44)
    settings[:4] = struct.pack("I", _ETHTOOL_GSET)
    _ethtool(device, settings)
    settings[:4] = struct.pack("I", _ETHTOOL_SSET)
    settings[_SPEED_AT : _SPEED_AT + 2] = struct.pack("H", mbps)
    _ethtool(device, settings)


def _ethtool(device: bytes, settings: bytearray) -> None:
    buffer = (ctypes.c_char * len(settings)).from_buffer(settings)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCETHTOOL, struct.pack("16sP", device, ctypes.addressof(buffer)))


def _in_table(name_of_chain: int) -> bytes:
    return _attribute(1, b"t\0") + _attribute(name_of_chain, b"c\0")


def _message(kind: int, family: int, resource: int, body: bytes) -> bytes:
    payload = struct.pack("!BBH", family, 0, resource) + body
    return struct.pack("=IHHII", 16 + len(payload), kind, _REQUEST | _CREATE, 0, 0) + payload


def _attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def _number(kind: int, value: int) -> bytes:
    return _attribute(kind, struct.pack("!I", value))
