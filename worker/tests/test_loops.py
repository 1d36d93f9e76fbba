"""No error of one round ends what goes round in a thread of its own. (The agent's loops: agent/test_caretaker.py.)"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, repeat
from unittest.mock import MagicMock
from uuid import uuid4

import pytest
from ngxlab_worker.confinement import watch
from ngxlab_worker.confinement.confinement import Confinement
from ngxlab_worker.confinement.watch import CapWatch
from ngxlab_worker.coordinator import pulse
from ngxlab_worker.coordinator.lease import Lease
from ngxlab_worker.core.settings import CoordinatorSettings
from ngxlab_worker.uplink.api_client import ApiUnavailableError, CoordinatorClient
from structlog.testing import capture_logs
from tests.support.hosts import wait_until

ERRORS = (ValueError("broken"), OSError("broken"), RecursionError())


def test_caps_are_looked_at_again_after_any_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "EVERY_S", 0.001)
    confinement, told = MagicMock(Confinement), threading.Event()
    confinement.exceeded.side_effect = [*ERRORS, None, "max_file_bytes"]
    with capture_logs() as logs, CapWatch(confinement, lambda _: told.set()):
        assert told.wait(30)
        wait_until(lambda: confinement.kill.called)
    assert len(logs) == len(ERRORS)


def test_a_lease_is_renewed_after_any_error() -> None:
    client = MagicMock(CoordinatorClient)
    client.lease.side_effect = chain((*ERRORS, ApiUnavailableError("away")), repeat(None))
    with capture_logs(), Lease(client, uuid4(), uuid4(), 0.003) as lease:
        wait_until(lambda: client.lease.call_count > len(ERRORS) + 2)
        assert not lease.lost.is_set()


def test_a_coordinator_calls_again_after_any_error(monkeypatch: pytest.MonkeyPatch) -> None:
    client, stopping = MagicMock(CoordinatorClient), threading.Event()
    client.pulse.side_effect = chain((*ERRORS, ApiUnavailableError("away")), repeat(None))

    @contextmanager
    def connected(*_: object) -> Iterator[CoordinatorClient]:
        yield client

    monkeypatch.setattr(pulse, "CoordinatorClient", connected)
    monkeypatch.setattr(pulse, "INTERVAL_S", 0.001)
    with capture_logs():
        pulse.beat(CoordinatorSettings("http://unused", "secret", "redis://unused"), stopping)
        wait_until(lambda: client.pulse.call_count > len(ERRORS) + 2)
        stopping.set()
