"""No error of one round ends what goes round in a thread of its own. (The agent's loops: agent/test_caretaker.py.)"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, repeat
from unittest.mock import MagicMock
from uuid import uuid4

import pytest
from ngxlab_contracts.coordination import PulseReply
from ngxlab_worker.confinement.confinement import CapWatch, Confinement
from ngxlab_worker.coordinator import coordinator
from ngxlab_worker.coordinator.coordinator import Lease, Pulse
from ngxlab_worker.core.settings import CoordinatorSettings
from ngxlab_worker.uplink.api_client import ApiUnavailableError, CoordinatorClient
from structlog.testing import capture_logs
from tests.support.hosts import wait_until

ERRORS = (ValueError("broken"), OSError("broken"), RecursionError())


def test_caps_are_looked_at_again_after_any_error() -> None:
    confinement, told = MagicMock(Confinement), threading.Event()
    confinement.pause_s.return_value = 0.001
    confinement.exceeded.side_effect = [*ERRORS, None, "max_file_bytes"]
    with capture_logs() as logs, CapWatch(confinement, lambda _: told.set()):
        assert told.wait(30)
        wait_until(lambda: confinement.kill.called)
    assert len(logs) == len(ERRORS)


def test_a_coordinator_calls_again_after_any_error_and_gives_up_what_it_has_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client, stopping, run_id = MagicMock(CoordinatorClient), threading.Event(), uuid4()
    client.pulse.side_effect = chain((*ERRORS, ApiUnavailableError("away")), repeat(PulseReply(lost=[run_id])))
    kept, lost = Lease(client, uuid4(), uuid4()), Lease(client, run_id, uuid4())

    @contextmanager
    def connected(*_: object) -> Iterator[CoordinatorClient]:
        yield client

    monkeypatch.setattr(coordinator, "CoordinatorClient", connected)
    for name in ("INTERVAL_S", "AGAIN_S"):
        monkeypatch.setattr(coordinator, name, 0.001)
    with capture_logs():
        Pulse(CoordinatorSettings("http://unused", "secret", "redis://unused"), lambda: [kept, lost]).start(stopping)
        wait_until(lambda: client.pulse.call_count > len(ERRORS) + 2)
        stopping.set()
    assert lost.lost.is_set()
    assert not kept.lost.is_set()
    assert [lease.run_id for lease in client.pulse.call_args.args[0].leases] == [kept.run_id, run_id]
