"""A process in nginx's place looks for everything that listens on this machine, and finds what its trial declares.

It tries what it may not do, too: system calls beyond the list, files of others, and sockets that are not for a trial.
What it is answered shows by which wall: a call beyond the list does not exist (ENOSYS).
"""

import ast
import ctypes
import errno
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Never
from uuid import uuid4

import psutil
import pyseccomp
import pytest
from ngxlab_contracts.telemetry import EndpointEvent, FingerprintEvent
from ngxlab_contracts.trials import NginxSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.confinement import probe_fence
from ngxlab_worker.sandbox import Isolation, probe_network
from ngxlab_worker.sandbox.syscalls import obstacle
from ngxlab_worker.trial.runner import FENCED, NETWORK, OWN
from tests.support.fake_backend import FakeBackend
from tests.support.specs import PROXY_CONFIG, app_server, trial_spec

SCANNER = '''\
#!/usr/bin/python3
"""Answers like nginx, and then looks round instead of serving."""
import ctypes, errno, os, socket, sys
BUILD = "nginx version: nginx/1.22.1\\nconfigure arguments: --with-http_stub_status_module"
if "-V" in sys.argv or "-t" in sys.argv:
    sys.exit(print(BUILD, file=sys.stderr))
reached, listens, refused = [], [], {}

def attempt(name, family, kind, action):
    try:
        with socket.socket(family, kind) as one:
            action(one)
            reached.append(name)
    except OSError:
        pass

def scan(address, ports):
    """Whatever is refused leaves its socket for the next port."""
    one, family = None, socket.AF_INET6 if ":" in address else socket.AF_INET
    for port in ports:
        try:
            one = one or socket.socket(family)
            one.connect((address, port))
        except OSError:
            continue
        # A connection to a port that was free may become one of the socket with itself.
        if one.getsockname() != one.getpeername():
            reached.append((address, port))
        one.close()
        one = None

for address in ADDRESSES:
    scan(address, range(1, 65536))
for name in NAMES:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        attempt(name, socket.AF_UNIX, kind, lambda one: one.connect(name))

def ask(one):
    one.sendto(b"?", ("127.0.0.1", UDP))

attempt("udp", socket.AF_INET, socket.SOCK_DGRAM, ask)
libc = ctypes.CDLL(None, use_errno=True)
for name, arguments in CALLS.items():
    pid = os.fork()  # in a process of its own: what succeeds must not change the scan
    if pid == 0:
        given = [argument.encode() if isinstance(argument, str) else argument for argument in arguments]
        os._exit(ctypes.get_errno() if libc.syscall(*given) == -1 else 0)
    refused[name] = errno.errorcode.get(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), "made")
for path in FILES:
    try:
        open(path, "rb").close()
        refused[path] = "made"
    except OSError as error:
        refused[path] = errno.errorcode[error.errno]
for port in (8080, int(sys.argv[0] != "" and open(sys.argv[4]).read().split("listen 127.0.0.1:")[1].split(";")[0])):
    try:
        with socket.socket() as own:
            own.bind(("127.0.0.1", port))
            own.listen()
            listens.append(port)
    except OSError:
        pass
print("REACHED", reached, "LISTENS", [port == 8080 for port in listens], "REFUSED", refused, file=sys.stderr)
'''
_NEW_USERS, _OF_THIS_PROCESS, NOWHERE = 0x10000000, 0, "/nowhere/at/all"
CALLS: dict[str, tuple[int | str, ...]] = {
    "keyctl": (0, -3, 0),
    "add_key": ("user", "ngxlab", "x", 1, -3),
    "bpf": (0, "x" * 128, 128),
    "userfaultfd": (1,),
    "perf_event_open": ("x" * 128, _OF_THIS_PROCESS, -1, -1, 0),
    "io_uring_setup": (8, "x" * 256),
    "ptrace": (0, 0, 0, 0),
    "process_vm_readv": (1, 0, 0, 0, 0, 0),
    "kcmp": (1, 1, 0, 0, 0),
    "unshare": (_NEW_USERS,),
    "setns": (-1, 0),
    "clone": (_NEW_USERS | 17, 0, 0, 0, 0),
    "mount": ("none", NOWHERE, "tmpfs", 0, ""),
    "umount2": (NOWHERE, 0),
    "pivot_root": (NOWHERE, NOWHERE),
    "fsopen": ("tmpfs", 0),
    "chroot": (NOWHERE,),
    "open_by_handle_at": (-1, "x" * 128, 0),
    "mknod": (NOWHERE, 0o060600, 0),
    "init_module": ("x", 1, ""),
    "kexec_load": (0, 0, 0, 0),
    "reboot": (0, 0, 0, 0),
    "swapon": (NOWHERE, 0),
    "clock_settime": (0, 0),
    "sethostname": ("", -1),
    "syslog": (10, 0, 0),
    "socket": (socket.AF_UNIX, socket.SOCK_STREAM, 0),
    "socket of raw packets": (socket.AF_INET, socket.SOCK_RAW, 1),
    "socket of frames": (socket.AF_PACKET, socket.SOCK_RAW, 0),
    "socket of netlink": (socket.AF_NETLINK, socket.SOCK_RAW, 0),
    "socket of virtual machines": (socket.AF_VSOCK, socket.SOCK_STREAM, 0),
}
"""By the first word, in an order of kinds: none of them does anything to the machine where nothing prevents it."""
PERMITTED = ("ptrace", "unshare", "clone", "socket")
"""What anybody may do where nothing prevents it."""


@dataclass
class Machine:
    """What listens here besides the trial. ``names``: of Unix sockets, without and with a place among the files;
    ``files``: that nobody of a trial may read, though the rights of the last would let anybody."""

    addresses: list[str]
    names: list[str]
    udp: socket.socket
    listening: list[socket.socket]
    files: list[str]

    def callers(self) -> int:
        """How many have come so far."""
        found = 0
        for listener in self.listening:
            with ExitStack() as stack:
                stack.enter_context(pytest.raises(BlockingIOError))
                while True:
                    listener.accept()[0].close()
                    found += 1
        try:
            self.udp.recv(1)
        except BlockingIOError:
            return found
        return found + 1


@pytest.fixture
def machine(agent_folder: Path) -> Iterator[Machine]:
    own = [one.address for ones in psutil.net_if_addrs().values() for one in ones if one.family == socket.AF_INET]
    addresses = ["127.0.0.1", "::1", *(address for address in own if not address.startswith("127."))][:3]
    names = [f"\0ngxlab-{uuid4().hex}", str(agent_folder / "service.sock")]
    with ExitStack() as stack:
        listening = [
            stack.enter_context(socket.create_server((address, 0), family=_family(address))) for address in addresses
        ]
        for name in names:
            listening.append(stack.enter_context(socket.socket(socket.AF_UNIX)))
            listening[-1].bind(name)
            listening[-1].listen()
        (agent_folder / "service.sock").chmod(0o777)
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        for one in (*listening, udp):
            one.setblocking(False)
        (agent_folder / "open.txt").write_text("for anybody")
        (agent_folder / "open.txt").chmod(0o644)
        files = ["/etc/shadow", "/proc/1/environ", "/proc/1/mem", "/dev/mem", str(agent_folder / "open.txt")]
        yield Machine(addresses, names, udp, listening, files)


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def other_services() -> list[str]:
    """The names of all Unix sockets of this machine, of datagrams too."""
    rows = [line.split(maxsplit=7) for line in Path("/proc/net/unix").read_text().splitlines()[1:]]
    names = {row[7] for row in rows if len(row) == 8}
    return [f"\0{name[1:]}" if name.startswith("@") else name for name in sorted(names)]


def scanner(folder: Path, machine: Machine) -> str:
    path = folder / "nginx-in-name"
    calls = {name: (number(name.split()[0]), *map(_plain, arguments)) for name, arguments in CALLS.items()}
    told = {"ADDRESSES": machine.addresses, "NAMES": machine.names, "FILES": machine.files, "CALLS": calls}
    text = SCANNER.replace("UDP", str(machine.udp.getsockname()[1]))
    for name, value in told.items():
        text = text.replace(name, repr(value))
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def _plain(argument: int | str) -> int | str:
    """As a program can be told it: a socket's family is an enumeration's."""
    return int(argument) if isinstance(argument, int) else argument


def number(call: str) -> int:
    """The number of a system call on this machine."""
    found: int = pyseccomp.resolve_syscall(pyseccomp.system_arch(), call)
    return found


@dataclass
class Found:
    """``reached``: addresses with ports, and names. ``listens``: for each port where it could, whether it was another
    than its own. ``announced``: the ports of what the trial declares. ``refused``: the answers to calls and files."""

    network: str
    reached: list[Any]
    listens: list[bool]
    announced: set[int]
    refused: dict[str, str]

    def require_refused(self, machine: Machine, isolation: Isolation) -> None:
        """Each by its wall."""
        *others, anybodys = machine.files
        assert all(self.refused[path] in {"ENOENT", "EACCES", "EPERM"} for path in others), self.refused
        without_namespaces = "EACCES" if has_landlock() else "made"
        assert self.refused[anybodys] == ("ENOENT" if isolation is Isolation.NAMESPACE else without_namespaces)
        if obstacle() is None:
            by_kind = {name: answer for name, answer in self.refused.items() if name.startswith("socket")}
            assert set(by_kind.values()) <= {"EPERM", "ENOSYS"}, by_kind
            assert {self.refused[name] for name in CALLS if name not in by_kind} == {"ENOSYS"}, self.refused


def has_landlock() -> bool:
    """Whether the kernel says which version it has. Source: landlock_create_ruleset(2)."""
    version: int = ctypes.CDLL(None).syscall(number("landlock_create_ruleset"), None, 0, 1)
    return version > 0


def scan(agent: Agent, backend: FakeBackend, machine: Machine, **changes: Any) -> Found:
    """Run a trial with the scanner as its nginx, before an upstream server that it may reach."""
    caps = agent.settings.folder / "caps.toml"
    binary = scanner(agent.settings.folder, machine)
    caps.write_text(f'allow_unsandboxed_nginx = true\nnginx = ["{binary}"]\n')
    nginx = NginxSpec(binary=binary, config=PROXY_CONFIG, workers=1, upstream_servers=["upstream.app"])
    spec = trial_spec(ready_timeout_s=120).model_copy(
        update={"nginx": nginx, "upstream_servers": [app_server()], **changes}
    )
    record = backend.add(spec)
    agent.execute(spec.trial_id)
    assert record.end is not None
    said = re.search(r"REACHED (\[.*\]) LISTENS (\[.*\]) REFUSED (\{.*\})", record.end.reason or "")
    assert said is not None, record.end
    (fingerprint,) = [event for event in record.events if isinstance(event, FingerprintEvent)]
    announced = {port for event in record.events if isinstance(event, EndpointEvent) for port in event.ports}
    reached = ast.literal_eval(said[1])
    return Found(
        fingerprint.settings[NETWORK], reached, ast.literal_eval(said[2]), announced, ast.literal_eval(said[3])
    )


def test_a_trial_that_stays_here_sees_itself_only(
    agent: Agent, backend: FakeBackend, machine: Machine, isolation: Isolation
) -> None:
    if not probe_network().available:
        pytest.skip(probe_network().detail)
    machine.names += other_services()
    found = scan(agent, backend, machine)
    assert found.network == OWN
    assert machine.callers() == 0
    assert found.reached.pop() == "udp", "sent to nobody"
    ports = {port for _, port in found.reached}
    assert {address for address, _ in found.reached} == {"127.0.0.1"}
    assert found.announced <= ports
    assert len(ports - found.announced) == 1, "the status page of the upstream server"
    found.require_refused(machine, isolation)


def test_a_host_without_networks_for_trials_fences_them(
    agent: Agent, backend: FakeBackend, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not probe_fence().available:
        pytest.skip(probe_fence().detail)

    def refuse() -> Never:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("ngxlab_worker.trial.runner.own_network", refuse)
    found = scan(agent, backend, machine)
    assert found.network == FENCED
    assert machine.callers() == 0
    assert {port for _, port in found.reached} == found.announced


def test_a_target_of_other_hosts_reaches_what_is_declared(
    agent: Agent, backend: FakeBackend, machine: Machine, isolation: Isolation
) -> None:
    if not probe_fence().available:
        pytest.skip(probe_fence().detail)
    machine.names += other_services()
    found = scan(agent, backend, machine, remote_streams=True, streams=[])
    assert found.network == FENCED
    assert machine.callers() == 0
    assert {port for _, port in found.reached} == found.announced
    assert found.listens == [False]
    found.require_refused(machine, isolation)


def test_without_either_it_would_find_them_all(
    agent: Agent, backend: FakeBackend, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the tests above can fail."""
    monkeypatch.setattr("ngxlab_worker.trial.runner.stays_here", lambda _: False)
    fence = probe_fence().model_copy(update={"available": False})
    monkeypatch.setattr("ngxlab_worker.trial.runner.probe_fence", lambda: fence)
    monkeypatch.setattr("ngxlab_worker.sandbox.launcher.obstacle", lambda: "a test")
    found = scan(agent, backend, machine)
    assert {name: found.refused[name] for name in PERMITTED} == dict.fromkeys(PERMITTED, "made")
    assert "ENOSYS" not in {found.refused[name] for name in ("keyctl", "mount", "pivot_root", "setns", "swapon")}
    # All but one: bubblewrap shows no sockets among the files, and Landlock keeps from those without a place there.
    assert machine.callers() >= len(machine.listening)
