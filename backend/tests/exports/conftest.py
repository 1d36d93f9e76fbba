"""One finished run for all tests of exports."""

import pytest
from exports.measured import Finished
from harness import Backend
from ngxlab.exports.archive import importing


@pytest.fixture(scope="session")
def finished(backend: Backend) -> Finished:
    return Finished(backend)


@pytest.fixture
def imports_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server does imports itself: a process of their own, which bounds what they take, needs seconds to start."""
    monkeypatch.setattr(importing, "in_own_process", importing.take_in)
