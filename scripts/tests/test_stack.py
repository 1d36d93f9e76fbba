"""The embedded stack as a user has it: real services in a folder of their own, on free ports."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from ngxlab_worker.nginx.ports import free_ports

from scripts.paths import BIN, ROOT
from scripts.stack.accounts import server_user
from scripts.stack.processes import ProcessId, living, wait_gone

SERVICES = {"postgres", "redis", "backend", "coordinator", "agent"}
pytestmark = pytest.mark.timeout(300)


@dataclass
class Stack:
    data: Path
    ports: dict[str, int]

    def order(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("NGXLAB_")}
        environment |= {"NGXLAB_DATA_DIR": str(self.data), "DATABASE_URL": "", "REDIS_URL": ""}
        environment |= {name: str(port) for name, port in self.ports.items()}
        command = [str(BIN / "python"), "-m", "scripts.stack", *words]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    def processes(self) -> dict[str, ProcessId]:
        return living(self.data / "run")


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    # Not pytest's folder, which the services' users cannot reach.
    data = Path(tempfile.mkdtemp(prefix="ngxlab-", dir="/tmp"))
    data.chmod(0o755)
    names = ("NGXLAB_PORT", "NGXLAB_POSTGRES_PORT", "NGXLAB_REDIS_PORT")
    made = Stack(data, dict(zip(names, free_ports(3, "127.0.0.1"), strict=True)))
    yield made
    ended = made.order("down")
    assert ended.returncode == 0, ended.stderr
    shutil.rmtree(data)


def test_up_brings_everything_up_and_shows_the_password_once(stack: Stack) -> None:
    first = stack.order("up")
    assert first.returncode == 0, first.stderr
    assert "Password:" in first.stdout
    assert stack.processes().keys() == SERVICES | {"supervisord"}
    second = stack.order("up")
    assert second.returncode == 0, second.stderr
    assert "==>" not in second.stdout, "nothing was left to do"
    assert "Password:" not in second.stdout


def test_status_asks_every_service(stack: Stack) -> None:
    answer = stack.order("status")
    assert answer.returncode == 0, answer.stdout
    assert answer.stdout.count("healthy") == len(SERVICES)


def test_secrets_are_private_and_not_on_a_command_line(stack: Stack) -> None:
    secrets = stack.data / "secrets.env"
    assert secrets.stat().st_mode & 0o777 == 0o600
    values = [line.partition("=")[2] for line in secrets.read_text().splitlines()]
    assert len(values) >= 3
    for process in stack.processes().values():
        command = Path(f"/proc/{process.pid}/cmdline").read_text()
        assert not any(value in command for value in values)


@pytest.mark.skipif(os.geteuid() != 0, reason="without root everything runs as the caller")
def test_as_root_what_takes_requests_is_not_root(stack: Stack) -> None:
    roots = {name for name, process in stack.processes().items() if Path(f"/proc/{process.pid}").stat().st_uid == 0}
    unreachable = {"backend", "coordinator"} if server_user() is None else set()
    assert roots <= {"agent", "supervisord"} | unreachable


def test_a_killed_supervisor_takes_everything_along_and_up_repairs(stack: Stack) -> None:
    before = stack.processes()
    before["supervisord"].send(signal.SIGKILL)
    assert wait_gone(before.values(), 20), "services must not outlive their supervisor"
    status = stack.order("status")
    assert status.returncode == 1
    assert "not running" in status.stdout
    again = stack.order("up")
    assert again.returncode == 0, again.stderr
    assert stack.order("status").returncode == 0


def test_a_taken_port_is_a_clear_error_and_down_is_complete(stack: Stack) -> None:
    before = stack.processes()
    assert stack.order("down").returncode == 0
    assert wait_gone(before.values(), 0)
    with socket.create_server(("127.0.0.1", stack.ports["NGXLAB_REDIS_PORT"])):
        refused = stack.order("up")
    assert refused.returncode == 1
    assert f"port {stack.ports['NGXLAB_REDIS_PORT']} is already in use" in refused.stderr
    assert "NGXLAB_REDIS_PORT" in refused.stderr
    assert stack.processes() == {}
