"""One finished run for all tests of exports."""

from collections.abc import Iterator

import pytest
from exports.measured import Finished
from harness import Backend
from ngxlab.exports.archive import importing
from serving import own_database, serving


@pytest.fixture(scope="session")
def finished(backend: Backend) -> Finished:
    return Finished(backend)


@pytest.fixture
def empty_lab(postgresql_url: str) -> Iterator[Backend]:
    """With an address of its own."""
    with own_database(postgresql_url) as settings:
        elsewhere = settings.model_copy(update={"public_url": "http://elsewhere.localhost:8400"})
        with serving(elsewhere) as reached:
            yield reached


@pytest.fixture
def imports_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server does imports itself: a process of their own, which bounds what they take, needs seconds to start."""
    monkeypatch.setattr(importing, "in_own_process", importing.take_in)
