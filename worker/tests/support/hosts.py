"""What a host looks like from outside: which processes and folders of trials there are."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.agent.credential import Credential
from ngxlab_worker.core.settings import AgentSettings
from ngxlab_worker.sandbox import Isolation
from tests.support.fake_backend import FakeBackend


def settings(folder: Path, user: str | None) -> AgentSettings:
    return AgentSettings(folder=folder, run_as=user, backend_url=None)


def credential(backend: FakeBackend) -> Credential:
    return Credential(
        host_id=backend.host_id, credential="secret", backend_url=backend.url, broker_url=backend.broker_url
    )


def own_caps(folder: Path, text: str = "") -> None:
    """The owner's file, which always allows what an agent without namespaces needs."""
    (folder / "caps.toml").write_text(f"allow_unsandboxed_nginx = true\n{text}")


def make_agent(folder: Path, backend: FakeBackend, user: str | None, isolation: Isolation) -> Agent:
    if isolation is Isolation.GUARDIAN:
        own_caps(folder)
    return Agent(settings(folder, user), credential(backend), isolation)


def processes_in(folder: Path) -> list[str]:
    """Command lines of all processes that work inside ``folder``."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").readlink().is_relative_to(folder) and int(entry.name) != os.getpid():
                found.append(f"{entry.name} {(entry / 'cmdline').read_bytes()!r}")
        except OSError:
            continue
    return found


def wait_until(condition: Callable[[], object], timeout_s: float = 90.0) -> None:
    """Fails the test where the condition does not come true in time."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.01)
