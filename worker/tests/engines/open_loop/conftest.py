"""Where the engine's processes run."""

import pytest
from ngxlab_worker.sandbox import Isolation, Sandbox, resolve_run_as


@pytest.fixture
def sandbox(user: str | None) -> Sandbox:
    return Sandbox(Isolation.NAMESPACE, resolve_run_as(user))
