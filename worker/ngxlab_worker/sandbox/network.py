"""A network of a trial's own: a loopback interface, and nothing of the machine that could be reached over it.

The thread that runs the trial enters a new network namespace, and what it starts begins there: nginx, upstream servers,
generators, and the agent's own readings. The agent's other threads stay where they are and talk to the backend.

Sources: network_namespaces(7), setns(2), netdevice(7), and the kernel's Documentation/networking/ip-sysctl.rst.
"""

import ctypes
import fcntl
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog
from ngxlab_contracts.hosts import Capability

_NEW_NETWORK = 0x40000000  # CLONE_NEWNET, linux/sched.h
_SET_FLAGS, _IS_UP = 0x8914, 0x1  # SIOCSIFFLAGS, IFF_UP
_SETTINGS = Path("/proc/sys/net")
_PLACES = ("core", "ipv4", "ipv6", *(f"{family}/conf/{name}" for family in ("ipv4", "ipv6") for name in ("all", "lo")))
"""The folders of settings that a trial can notice; those of other interfaces and of neighbours are left out."""
_TABLE_SIZES = frozenset({"tcp_ehash_entries", "udp_hash_entries"})
"""Negative where a namespace shares the machine's table."""

_libc = ctypes.CDLL(None, use_errno=True)
log = structlog.get_logger(__name__)


@contextmanager
def own_network() -> Iterator[list[str]]:
    """Meanwhile the calling thread, and whatever it starts, is in a new network, whose settings are the machine's.

    Gives the settings that could not be taken over. Takes about 25 ms. Raises ``OSError`` where this host allows no
    such network.
    """
    settings = _settings()
    with _new_network():
        yield _take_over(settings)


def probe_network() -> Capability:
    """Whether a trial that stays on this host can have one, determined by trying it."""
    try:
        with _new_network():
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        detail = (
            f"the agent can make no network namespace ({reason}), so nginx and the load see the host's own services: "
            "run the agent as root, with CAP_SYS_ADMIN"
        )
        return Capability(name="own-network", available=False, detail=detail)
    detail = "a trial that stays on this host has a network of its own: no service of the host can be reached from it"
    return Capability(name="own-network", available=True, detail=detail)


@contextmanager
def network_of(pid: int) -> Iterator[None]:
    """Meanwhile the calling thread is in the network of a process. Raises ``OSError`` where it may not enter it."""
    other = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        with _elsewhere(_libc.setns, other, _NEW_NETWORK):
            yield
    finally:
        os.close(other)


@contextmanager
def _new_network() -> Iterator[None]:
    with _elsewhere(_libc.unshare, _NEW_NETWORK):
        _bring_up("lo")
        yield


@contextmanager
def _elsewhere(leave: "ctypes._NamedFuncPointer", *arguments: int) -> Iterator[None]:
    """``leave`` moves the calling thread to another network, from which it returns at the end."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _call(leave, *arguments)
        try:
            yield
        finally:
            _return(home)
    finally:
        os.close(home)


def _return(home: int) -> None:
    try:
        _call(_libc.setns, home, _NEW_NETWORK)
    except OSError:
        log.exception("cannot return to the host's network: this process ends, and another takes its place")
        os._exit(1)  # whatever it did next would not reach anybody


def _call(function: "ctypes._NamedFuncPointer", *arguments: int) -> None:
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _bring_up(interface: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", interface.encode(), _IS_UP))


def _settings() -> dict[str, str]:
    """Those of the calling thread's network that can be read, by path."""
    found = {}
    for place in _PLACES:
        with os.scandir(_SETTINGS / place) as entries:
            files = [one.path for one in entries if one.is_file() and one.name not in _TABLE_SIZES]
        for path in files:
            try:
                with open(path, encoding="utf-8") as file:  # noqa: PTH123 — a Path costs as much as the reading
                    found[path] = file.read()
            except (OSError, UnicodeDecodeError):
                continue  # some can only be written
    return found


def _take_over(settings: dict[str, str]) -> list[str]:
    """Give this network the ``settings`` of another. The names of those that stay different."""
    different = {path: value for path, value in settings.items() if _settings_value(path) not in {None, value}}
    for path, value in different.items():
        try:
            Path(path).write_text(value, encoding="utf-8")
        except OSError:
            continue
    left = (path for path, value in different.items() if _settings_value(path) != value)
    return sorted(path.removeprefix(f"{_SETTINGS}/").replace("/", ".") for path in left)


def _settings_value(path: str) -> str | None:
    """``None`` where this network has no such setting: the machine's applies to all."""
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None
