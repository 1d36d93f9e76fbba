"""Several hosts on one machine: network namespaces that a bridge connects.

Each host has an address, a loopback and ports of its own; the machine itself is ``gateway`` on the same bridge, so that
a backend and a Redis that listen there can be reached by all. Needs root and the right to make namespaces.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

HOSTS = ("target", "gen-a", "gen-b", "upstream")
PREFIX = "nl"
NAMESPACES = Path("/run/netns")


def why_unavailable() -> str | None:
    """Why no fleet can be built here, or ``None``. The test is to build a namespace and a bridge."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    name = _unique("probe")
    try:
        with ExitStack() as undo:
            _ip("netns", "add", name)
            undo.callback(_try_ip, "netns", "del", name)
            _ip("link", "add", name, "type", "bridge")
            undo.callback(_try_ip, "link", "del", name)
            _ip("-n", name, "link", "set", "lo", "up")
    except (OSError, FleetError) as error:
        return f"no network namespaces here: {error}"
    return None


class FleetError(Exception):
    """``ip`` refused; the message is its own."""


class Fleet:
    """Hosts by name, for as long as the ``with`` block runs: ``with Fleet() as fleet: fleet.start("gen-a", [...])``.

    Names and addresses differ between processes, so that several fleets live side by side. What still runs in the
    namespaces at the end is killed.
    """

    def __init__(self, hosts: Sequence[str] = HOSTS) -> None:
        self.hosts = tuple(hosts)
        self._bridge = _unique("br")
        self._undo = ExitStack()
        self._started: list[subprocess.Popen[bytes]] = []
        self._network = ""

    def __enter__(self) -> Self:
        remove_stale()
        self._network = _free_network()
        with ExitStack() as undo:
            self._build(undo)
            self._undo = undo.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo.close()

    @property
    def gateway(self) -> str:
        """The machine's own address on the bridge, for servers that all hosts must reach."""
        return f"{self._network}.1"

    def address(self, host: str) -> str:
        return f"{self._network}.{self.hosts.index(host) + 2}"

    def namespace(self, host: str) -> str:
        return _unique(str(self.hosts.index(host)))

    def command(self, host: str, argv: Sequence[str]) -> list[str]:
        """The command that runs ``argv`` on ``host``; the process id becomes that of the program."""
        return ["ip", "netns", "exec", self.namespace(host), *argv]

    def start(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(self.command(host, argv), env=env, cwd=cwd)
        self._started.append(process)
        return process

    def cut(self, host: str) -> None:
        """Cut the host's link: packets are lost in both directions, without any error."""
        _ip("link", "set", _port(self.namespace(host)), "down")

    def restore(self, host: str) -> None:
        _ip("link", "set", _port(self.namespace(host)), "up")

    def processes(self, host: str) -> list[int]:
        return _processes(self.namespace(host))

    def _reap(self) -> None:
        for process in self._started:
            process.wait()

    def _build(self, undo: ExitStack) -> None:
        undo.callback(self._reap)  # runs last, after the processes were killed
        _ip("link", "add", self._bridge, "type", "bridge")
        undo.callback(_try_ip, "link", "del", self._bridge)
        _without_ipv6(self._bridge)
        _ip("address", "add", f"{self.gateway}/24", "dev", self._bridge)
        _ip("link", "set", self._bridge, "up")
        for host in self.hosts:
            self._add(host, undo)

    def _add(self, host: str, undo: ExitStack) -> None:
        name, port = self.namespace(host), _port(self.namespace(host))
        _ip("netns", "add", name)
        undo.callback(_remove, name)
        _ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
        undo.callback(_try_ip, "link", "del", port)
        _without_ipv6(port)
        _ip("link", "set", port, "master", self._bridge, "up")
        _ip("-n", name, "address", "add", f"{self.address(host)}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            _ip("-n", name, "link", "set", device, "up")


def remove_stale() -> None:
    """Remove namespaces and links left over by processes that have ended.

    A bridge that still connects something is left: its owner may live where we do not see it, outside of a container.
    """
    for name, owner in [*_owners(path.name for path in _namespaces()), *_owners(_bridges())]:
        if not Path(f"/proc/{owner}").exists() and not _connects(name):
            if (NAMESPACES / name).exists():
                _remove(name)
            _try_ip("link", "del", _port(name))
            _try_ip("link", "del", name)


def _unique(what: str) -> str:
    """A name of at most 13 characters; the name of a device may have 15."""
    return f"{PREFIX}{os.getpid()}-{what}"[:13]


def _port(namespace: str) -> str:
    """The device at the bridge's end of a namespace's link."""
    return f"{namespace}p"


def _owners(names: Iterator[str]) -> list[tuple[str, int]]:
    split = ((name, name.removeprefix(PREFIX).partition("-")[0]) for name in names if name.startswith(PREFIX))
    return [(name, int(owner)) for name, owner in split if owner.isdigit()]


def _namespaces() -> list[Path]:
    return list(NAMESPACES.iterdir()) if NAMESPACES.is_dir() else []


def _bridges() -> Iterator[str]:
    return (path.name for path in Path("/sys/class/net").iterdir() if (path / "bridge").is_dir())


def _connects(bridge: str) -> bool:
    ports = Path("/sys/class/net", bridge, "brif")
    return ports.is_dir() and any(ports.iterdir())


def _free_network() -> str:
    """The first three numbers of a /24 network that no device of this machine uses."""
    taken = _ip("-o", "-4", "address", "show")
    candidates = (f"10.77.{(os.getpid() + step) % 256}" for step in range(256))
    return next(network for network in candidates if f" {network}." not in taken)


def _without_ipv6(device: str) -> None:
    """At each address that a device gets by itself, browsers of this machine drop all their requests."""
    _ip("link", "set", device, "addrgenmode", "none")


def _processes(namespace: str) -> list[int]:
    return [int(word) for word in _ip("netns", "pids", namespace).split()]


def _remove(namespace: str) -> None:
    with contextlib.suppress(FleetError):
        for pid in _processes(namespace):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    _try_ip("netns", "del", namespace)


def _ip(*arguments: str) -> str:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FleetError(f"ip {' '.join(arguments)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def _try_ip(*arguments: str) -> None:
    """Undo a step. What does not exist any more needs no undoing."""
    with contextlib.suppress(FleetError):
        _ip(*arguments)
