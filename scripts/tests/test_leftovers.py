"""The soak test sees ports and namespaces that a trial has left with the agent."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.soak.audit import held_by

AGENT = """
import os, socket, subprocess, sys
what = sys.argv[1]
if what == "port":
    kept = socket.create_server(("127.0.0.1", 0))
    print(kept.getsockname()[1], flush=True)
elif what == "process":
    command = ["bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--die-with-parent", "sh", "-c", "echo; read x"]
    kept = subprocess.Popen(command, stdin=subprocess.PIPE)
elif what == "open":
    kept = os.open("/proc/self/ns/net", os.O_RDONLY)
    print(flush=True)
else:
    print(flush=True)
sys.stdin.read()
"""


@pytest.fixture
def agent(request: pytest.FixtureRequest) -> Iterator[tuple[int, str]]:
    """A process that holds what the test asks for; its first line."""
    command = [sys.executable, "-c", AGENT, request.param]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.pid, process.stdout.readline().strip()
        process.kill()


@pytest.mark.parametrize("agent", ["nothing"], indirect=True)
def test_nothing_is_left_by_an_agent_at_rest(agent: tuple[int, str]) -> None:
    assert list(held_by(agent[0])) == []


@pytest.mark.parametrize("agent", ["port"], indirect=True)
def test_a_port_that_is_still_listened_on_is_left_over(agent: tuple[int, str]) -> None:
    pid, port = agent
    assert list(held_by(pid)) == [f"port {port} of process {pid}"]


@pytest.mark.parametrize("agent", ["process"], indirect=True)
def test_a_process_in_a_namespace_of_its_own_is_left_over(agent: tuple[int, str]) -> None:
    assert any(found.startswith("namespace pid:[") for found in held_by(agent[0]))


@pytest.mark.parametrize("agent", ["open"], indirect=True)
def test_a_namespace_that_is_kept_open_is_left_over(agent: tuple[int, str]) -> None:
    name = Path("/proc/self/ns/net").readlink()
    assert list(held_by(agent[0])) == [f"namespace {name}, held open by process {agent[0]}"]
