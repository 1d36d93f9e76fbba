"""A fake backend, an unprivileged user, a folder that this user can reach, and agents in the test's own process."""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.core.clock import Offset, monotonic_us
from ngxlab_worker.sandbox import Isolation
from tests.support.agents import Start, StartAgent
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import credential, make_agent
from tests.support.records import now_us
from tests.support.redis import Redis

if (prefix := os.environ.get("NGXLAB_TEST_PREFIX")) is not None:
    sys.prefix = prefix  # beside which the engines' programs are looked for (``make arm64``)


@pytest.fixture(scope="session")
def user() -> str | None:
    """Whom children run as where the tests run as root."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("ngxlab").pw_name
    except KeyError:
        return "nobody"


@pytest.fixture
def agent_folder() -> Iterator[Path]:
    """Not pytest's tmp_path, which other users cannot enter."""
    folder = Path(tempfile.mkdtemp(prefix="ngxlab-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def backend() -> Iterator[FakeBackend]:
    backend = FakeBackend()
    yield backend
    backend.stop()


@pytest.fixture(params=list(Isolation))
def isolation(request: pytest.FixtureRequest) -> Isolation:
    found: Isolation = request.param
    return found


@pytest.fixture
def agent(agent_folder: Path, backend: FakeBackend, user: str | None, isolation: Isolation) -> Agent:
    agent = make_agent(agent_folder, backend, user, isolation)
    agent.shared.set_offset(Offset(now_us() - monotonic_us(), 0))
    return agent


@pytest.fixture
def namespaced(agent_folder: Path, backend: FakeBackend, user: str | None) -> Agent:
    agent = make_agent(agent_folder, backend, user, Isolation.NAMESPACE)
    agent.shared.set_offset(Offset(now_us() - monotonic_us(), 0))
    return agent


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str, str], str]:
    """``program(name, shell_script)``: an executable file; gives its path."""

    def write(name: str, script: str) -> str:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return str(path)

    return write


@pytest.fixture
def redis(backend: FakeBackend) -> Iterator[Redis]:
    """With the users that the backend would make."""
    redis = Redis()
    redis.admit_host(backend.host_id, "secret")
    redis.admit_coordinator("secret")
    backend.broker_url = redis.url
    yield redis
    redis.close()


@pytest.fixture
def ngxlab(agent_folder: Path, backend: FakeBackend, redis: Redis, user: str | None) -> Iterator[Start]:
    """Starts ``ngxlab ARGUMENTS``."""
    started: list[subprocess.Popen[bytes]] = []
    environment = {
        **os.environ,
        "NGXLAB_AGENT_DIR": str(agent_folder),
        "NGXLAB_RUN_AS": user or "",
        "NGXLAB_BACKEND_URL": backend.url,
        "NGXLAB_COORDINATOR_TOKEN": "secret",
        "REDIS_URL": redis.url,
    }

    def start(*arguments: str, given: bytes = b"", **settings: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "ngxlab_worker.cli", *arguments]
        process = subprocess.Popen(command, env=environment | settings, stdin=subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.write(given)
        process.stdin.close()
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def start_agent(ngxlab: Start, agent_folder: Path, backend: FakeBackend) -> StartAgent:
    credential(backend).save(agent_folder)

    def start() -> "subprocess.Popen[bytes]":
        known = len(backend.heartbeats)
        process = ngxlab("agent")
        backend.wait_for(lambda: len(backend.heartbeats) > known)
        return process

    return start
