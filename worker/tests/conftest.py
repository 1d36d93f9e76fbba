"""A fake backend, an unprivileged user, and a folder that this user can reach."""

import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from ngxlab_worker.sandbox import Isolation
from tests.support.fake_backend import FakeBackend


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
