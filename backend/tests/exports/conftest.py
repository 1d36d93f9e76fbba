"""One finished run for all tests of exports."""

import pytest
from exports.measured import Finished
from harness import Backend


@pytest.fixture(scope="session")
def finished(backend: Backend) -> Finished:
    return Finished(backend)
