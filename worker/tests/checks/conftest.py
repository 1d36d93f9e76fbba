"""A host that runs whole trials; a network and CPU-bound processes of the test's own."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from ngxlab_worker.agent.agent import Agent
from tests.checks.bench import Bench
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import own_caps

CLONE_NEWNET = 0x4000_0000
_LIBC = ctypes.CDLL(None, use_errno=True)


@pytest.fixture
def bench(namespaced: Agent, backend: FakeBackend) -> Bench:
    """Its owner allows all that these tests need."""
    own_caps(namespaced.settings.folder, "allow_scripts = true\n")
    return Bench(namespaced, backend)


@pytest.fixture
def in_hosts_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials share the host's network, as those of several hosts do: others can reach them, and the host's links and
    tables are theirs."""
    monkeypatch.setattr("ngxlab_worker.trial.runner.stays_here", lambda _: False)


@pytest.fixture
def own_network() -> Iterator[None]:
    """The test's main thread, and what it starts from now on, has a network namespace of its own. Use it by
    ``usefixtures``: it comes before those that listen. Skips where that is not allowed."""
    before = os.open("/proc/self/ns/net", os.O_RDONLY)
    if _LIBC.unshare(CLONE_NEWNET) != 0:
        os.close(before)
        pytest.skip(f"no network namespaces here: {os.strerror(ctypes.get_errno())}")
    try:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        yield
    finally:
        left = _LIBC.setns(before, CLONE_NEWNET)
        os.close(before)
        assert left == 0, os.strerror(ctypes.get_errno())


@pytest.fixture
def burn() -> Iterator[Callable[[int], None]]:
    """``burn(cpu)``: a process outside the trial that only computes, on one CPU, until the test's end."""
    started: list[subprocess.Popen[bytes]] = []

    def start(cpu: int) -> None:
        process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        started.append(process)
        os.sched_setaffinity(process.pid, {cpu})

    yield start
    for process in started:
        process.kill()
        process.wait()
