"""One whole installation for all end-to-end tests of a session."""

from collections.abc import Iterator

import pytest
from stack import Stack, running_stack


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with running_stack() as running:
        yield running
