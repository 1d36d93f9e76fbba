"""A process in nginx's place looks for everything that listens on this machine, and finds what its trial declares."""

import ast
import errno
import json
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Never
from uuid import uuid4

import psutil
import pytest
from ngxlab_contracts.telemetry import EndpointEvent, FingerprintEvent
from ngxlab_contracts.trials import NginxSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.confinement import probe_fence
from ngxlab_worker.sandbox import probe_network
from ngxlab_worker.trial.runner import FENCED, NETWORK, OWN
from tests.support.fake_backend import FakeBackend
from tests.support.specs import PROXY_CONFIG, app_server, trial_spec

SCANNER = '''\
#!/usr/bin/python3
"""Answers like nginx, and then looks round instead of serving."""
import socket, sys
BUILD = "nginx version: nginx/1.22.1\\nconfigure arguments: --with-http_stub_status_module"
if "-V" in sys.argv or "-t" in sys.argv:
    sys.exit(print(BUILD, file=sys.stderr))
reached, listens = [], []

def attempt(name, family, kind, action):
    try:
        with socket.socket(family, kind) as one:
            action(one)
            # A connection to a port that was free may become one of the socket with itself.
            if kind == socket.SOCK_DGRAM or one.getsockname() != one.getpeername():
                reached.append(name)
    except OSError:
        pass

for address in ADDRESSES:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for port in range(1, 65536) if address == "127.0.0.1" else [*PORTS, *range(1, 65536, 64)]:
        attempt((address, port), family, socket.SOCK_STREAM, lambda one: one.connect((address, port)))
for name in NAMES:
    attempt(name, socket.AF_UNIX, socket.SOCK_STREAM, lambda one: one.connect(name))

def ask(one):
    one.sendto(b"?", ("127.0.0.1", UDP))

attempt("udp", socket.AF_INET, socket.SOCK_DGRAM, ask)
for port in (8080, int(sys.argv[0] != "" and open(sys.argv[4]).read().split("listen 127.0.0.1:")[1].split(";")[0])):
    try:
        with socket.socket() as own:
            own.bind(("127.0.0.1", port))
            own.listen()
            listens.append(port)
    except OSError:
        pass
print("REACHED", reached, "LISTENS", [port == 8080 for port in listens], file=sys.stderr)
'''


@dataclass
class Machine:
    """What listens here besides the trial. ``names``: of Unix sockets, without and with a place among the files."""

    addresses: list[str]
    names: list[str]
    udp: socket.socket
    listening: list[socket.socket]

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
        yield Machine(addresses, names, udp, listening)


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


_ACCEPTS = "00010000"  # __SO_ACCEPTCON, linux/net.h


def other_services() -> list[str]:
    """The names of all Unix sockets that something on this machine listens at."""
    rows = [line.split(maxsplit=7) for line in Path("/proc/net/unix").read_text().splitlines()[1:]]
    names = [row[7] for row in rows if len(row) == 8 and row[3] == _ACCEPTS]
    return [f"\0{name[1:]}" if name.startswith("@") else name for name in names]


def scanner(folder: Path, machine: Machine) -> str:
    path = folder / "nginx-in-name"
    text = SCANNER.replace("ADDRESSES", json.dumps(machine.addresses)).replace("NAMES", repr(machine.names))
    ports = [one.getsockname()[1] for one in machine.listening if one.family != socket.AF_UNIX]
    path.write_text(text.replace("PORTS", json.dumps(ports)).replace("UDP", str(machine.udp.getsockname()[1])))
    path.chmod(0o755)
    return str(path)


@dataclass
class Found:
    """``reached``: addresses with ports, and names. ``listens``: for each port where it could, whether it was another
    than its own. ``announced``: the ports of what the trial declares."""

    network: str
    reached: list[Any]
    listens: list[bool]
    announced: set[int]


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
    said = re.search(r"REACHED (\[.*\]) LISTENS (\[.*\])", record.end.reason or "")
    assert said is not None, record.end
    (fingerprint,) = [event for event in record.events if isinstance(event, FingerprintEvent)]
    announced = {port for event in record.events if isinstance(event, EndpointEvent) for port in event.ports}
    reached = ast.literal_eval(said[1])
    return Found(fingerprint.settings[NETWORK], reached, ast.literal_eval(said[2]), announced)


def test_a_trial_that_stays_here_sees_itself_only(agent: Agent, backend: FakeBackend, machine: Machine) -> None:
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


def test_a_target_of_other_hosts_reaches_what_is_declared(agent: Agent, backend: FakeBackend, machine: Machine) -> None:
    if not probe_fence().available:
        pytest.skip(probe_fence().detail)
    machine.names += other_services()
    found = scan(agent, backend, machine, remote_streams=True, streams=[])
    assert found.network == FENCED
    assert machine.callers() == 0
    assert {port for _, port in found.reached} == found.announced
    assert found.listens == [False]


def test_without_either_it_would_find_them_all(
    agent: Agent, backend: FakeBackend, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the two tests above can fail."""
    monkeypatch.setattr("ngxlab_worker.trial.runner.stays_here", lambda _: False)
    fence = probe_fence().model_copy(update={"available": False})
    monkeypatch.setattr("ngxlab_worker.trial.runner.probe_fence", lambda: fence)
    monkeypatch.setattr("ngxlab_worker.sandbox.launcher.obstacle", lambda: "a test")
    scan(agent, backend, machine)
    # All but one: bubblewrap shows no sockets among the files, and Landlock keeps from those without a place there.
    assert machine.callers() >= len(machine.listening)
