"""A fake backend, an unprivileged user, a folder that this user can reach, and agents in the test's own process."""

import os
import pwd
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.core.clock import Offset, monotonic_us
from ngxlab_worker.sandbox import Isolation
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import make_agent
from tests.support.records import now_us


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
