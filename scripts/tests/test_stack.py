"""The embedded stack as a user has it: up, down, status, and what they repair."""

import os
import re
import signal
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from ngxlab_contracts.broker import with_user
from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError

from scripts.stack.accounts import server_user
from scripts.stack.processes import ProcessId, wait_gone
from scripts.stack.settings import parse_env_file
from scripts.stack.waiting import wait_until
from scripts.tests.installation import SERVICES, Installation, installation

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def stack() -> Iterator[Installation]:
    with installation() as made:
        yield made


@pytest.fixture(scope="module", autouse=True)
def first(stack: Installation) -> CompletedProcess[str]:
    """Each test has what was started, also where it is repeated alone."""
    return stack.order("up")


def test_up_brings_everything_up_and_shows_the_password_once(stack: Installation, first: CompletedProcess[str]) -> None:
    assert first.returncode == 0, first.stderr
    assert "Password:" in first.stdout
    assert stack.processes().keys() == SERVICES | {"supervisord"}
    second = stack.order("up")
    assert second.returncode == 0, second.stderr
    assert "==>" not in second.stdout, "nothing was left to do"
    assert "Password:" not in second.stdout


def test_status_asks_every_service(stack: Installation) -> None:
    answer = stack.order("status")
    assert answer.returncode == 0, answer.stdout
    assert answer.stdout.count("healthy") == len(SERVICES)
    for loop in ("clock", "coordinator"):
        assert re.search(rf"last round: .*\b{loop} \d+\.\d s ago", answer.stdout)


def test_ngxlab_finds_it_and_no_other_data_folder_gives_its_token(stack: Installation, tmp_path: Path) -> None:
    found = stack.ngxlab("hosts")
    assert found.returncode == 0, found.stderr
    assert socket.gethostname() in found.stdout
    (tmp_path / "secrets.env").write_text("NGXLAB_STACK_TOKEN=of-another-folder\n")
    stranger = stack.ngxlab("hosts", NGXLAB_DATA_DIR=str(tmp_path))
    assert stranger.returncode == 6
    assert f"not signed in at http://localhost:{stack.ports['NGXLAB_PORT']}" in stranger.stderr


def test_a_coordinator_that_stands_still_is_not_healthy(stack: Installation) -> None:
    coordinator = stack.processes()["coordinator"]
    coordinator.send(signal.SIGSTOP)
    try:
        wait_until(lambda: stack.order("status").returncode == 1, "a complaint", seconds=60)
        assert re.search(r"coordinator .*last called \d+ s ago", stack.order("status").stdout)
    finally:
        coordinator.send(signal.SIGCONT)
    wait_until(lambda: stack.order("status").returncode == 0, "health", seconds=60)


def test_secrets_are_private_and_not_on_a_command_line(stack: Installation) -> None:
    secrets = stack.data / "secrets.env"
    assert secrets.stat().st_mode & 0o777 == 0o600
    values = [line.partition("=")[2] for line in secrets.read_text().splitlines()]
    assert len(values) >= 3
    for process in stack.processes().values():
        command = Path(f"/proc/{process.pid}/cmdline").read_text()
        assert not any(value in command for value in values)


def test_redis_is_closed_to_whoever_names_no_user_and_only_the_backend_administers_users(stack: Installation) -> None:
    password = parse_env_file(stack.data / "secrets.env")["REDIS_PASSWORD"]
    url = f"redis://127.0.0.1:{stack.ports['NGXLAB_REDIS_PORT']}/0"
    for anyone in (url, with_user(url, "default", password)):
        with Redis.from_url(anyone) as client, pytest.raises(AuthenticationError):
            client.ping()
    with Redis.from_url(with_user(url, "ngxlab-backend", password)) as client:
        assert {"coordinator", "ngxlab-backend"} < set(client.acl_users())
        # Redis takes no connection from another machine while the default user could do without a password.
        assert "nopass" not in client.acl_getuser("default")["flags"]
        for order in ("CONFIG GET *", "FLUSHALL", "SHUTDOWN", "REPLICAOF NO ONE", "KEYS *"):
            with pytest.raises(NoPermissionError):
                client.execute_command(*order.split())
    known = {name for name, one in stack.processes().items() if password in environment_of(one)}
    assert known == {"backend", "jobs"}


def environment_of(process: ProcessId) -> str:
    return Path(f"/proc/{process.pid}/environ").read_text(errors="replace")


@pytest.mark.skipif(os.geteuid() != 0, reason="without root everything runs as the caller")
def test_as_root_what_takes_requests_is_not_root(stack: Installation) -> None:
    roots = {name for name, process in stack.processes().items() if Path(f"/proc/{process.pid}").stat().st_uid == 0}
    unreachable = {"backend", "front", "coordinator"} if server_user() is None else set()
    assert roots <= {"agent", "supervisord"} | unreachable


def test_a_killed_supervisor_takes_everything_along_and_up_repairs(stack: Installation) -> None:
    before = stack.processes()
    before["supervisord"].send(signal.SIGKILL)
    assert wait_gone(before.values(), 20), "services must not outlive their supervisor"
    status = stack.order("status")
    assert status.returncode == 1
    assert "not running" in status.stdout
    again = stack.order("up")
    assert again.returncode == 0, again.stderr
    assert stack.order("status").returncode == 0


def test_the_front_is_no_nginx_to_whoever_looks_for_one_and_alone_reaches_the_backend(stack: Installation) -> None:
    front = stack.processes()["front"]
    assert Path(f"/proc/{front.pid}/comm").read_text() == "ngxlab-front\n"
    [socket_] = (stack.data / "run" / "backend").iterdir()
    assert socket_.is_socket()
    assert socket_.parent.stat().st_mode & 0o007 == 0
    front.send(signal.SIGKILL)
    wait_until(lambda: stack.processes().get("front") not in {None, front}, "another front")
    wait_until(lambda: stack.order("status").returncode == 0, "health", seconds=60)


def test_several_processes_answer_and_one_that_is_killed_is_replaced(stack: Installation) -> None:
    stack.settings["NGXLAB_BACKEND_PROCESSES"] = "2"
    try:
        assert stack.order("up").returncode == 0
        killed = stack.processes()["backend-2"]
        killed.send(signal.SIGKILL)
        for _ in range(100):
            with urllib.request.urlopen(f"{stack.url}/healthz") as answer:
                assert answer.status == 200
        wait_until(lambda: stack.processes().get("backend-2") not in {None, killed}, "another process")
        wait_until(lambda: stack.order("status").returncode == 0, "health", seconds=60)
    finally:
        del stack.settings["NGXLAB_BACKEND_PROCESSES"]
    assert stack.order("up").returncode == 0
    assert stack.processes().keys() == SERVICES | {"supervisord"}


def test_a_taken_port_is_a_clear_error_and_down_is_complete(stack: Installation) -> None:
    before = stack.processes()
    assert stack.order("down").returncode == 0
    assert wait_gone(before.values(), 0)
    with socket.create_server(("127.0.0.1", stack.ports["NGXLAB_REDIS_PORT"])):
        refused = stack.order("up")
    assert refused.returncode == 1
    assert f"port {stack.ports['NGXLAB_REDIS_PORT']} is already in use" in refused.stderr
    assert "NGXLAB_REDIS_PORT" in refused.stderr
    assert stack.processes() == {}
