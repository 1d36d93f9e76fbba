"""Agents whose trials run in the test's own process, and hosts that can throttle a disk."""

from pathlib import Path

import pytest
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.core.clock import Offset, monotonic_us
from ngxlab_worker.sandbox import Isolation
from ngxlab_worker.storage import probe_throttling
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import make_agent
from tests.support.records import now_us


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
def throttling() -> None:
    """Skips, with the reason, where this host cannot."""
    probe = probe_throttling()
    if not probe.available:
        pytest.skip(probe.detail)
