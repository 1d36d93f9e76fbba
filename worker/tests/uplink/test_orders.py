"""Orders reach a trial that reports nothing."""

import threading
from collections.abc import Iterator
from functools import partial

import pytest
from ngxlab_contracts.trials import TrialCommand
from ngxlab_worker.core.clock import monotonic_us
from ngxlab_worker.uplink.api_client import AgentClient
from ngxlab_worker.uplink.steering import Steering, TrialStopError
from ngxlab_worker.uplink.uploader import Orders
from tests.support.fake_backend import FakeBackend
from tests.support.records import TrialRecord
from tests.support.specs import trial_spec


@pytest.fixture
def steering() -> Steering:
    return Steering(monotonic_us() + 60_000_000)


@pytest.fixture
def record(backend: FakeBackend) -> TrialRecord:
    return backend.add(trial_spec())


@pytest.fixture
def orders(backend: FakeBackend, record: TrialRecord, steering: Steering) -> Iterator[Orders]:
    orders = Orders(partial(AgentClient, backend.url, "token"), record.spec.trial_id, steering)
    orders.start()
    yield orders
    orders.close()


def tell(backend: FakeBackend, record: TrialRecord, **orders: object) -> None:
    with backend.changed:
        for name, value in orders.items():
            setattr(record, name, value)
        backend.changed.notify_all()


@pytest.mark.parametrize("command", ["cancel", "discard"])
def test_a_waiting_trial_is_ended_and_nobody_asks_any_more(
    backend: FakeBackend, record: TrialRecord, orders: Orders, steering: Steering, command: TrialCommand
) -> None:
    threading.Timer(0.1, tell, (backend, record), {"command": command}).start()
    with pytest.raises(TrialStopError) as caught:
        steering.pause(30)
    assert caught.value.outcome == "cancelled"
    orders.join(30)
    assert not orders.is_alive()


def test_orders_come_one_after_the_other_and_through_an_outage(
    backend: FakeBackend, record: TrialRecord, orders: Orders, steering: Steering
) -> None:
    tell(backend, record, start_at_us=7)
    assert steering.await_start(30) == 7
    backend.stop()
    backend.start()
    tell(backend, record, command="cancel")
    with pytest.raises(TrialStopError):
        steering.pause(30)


def test_a_trial_that_the_backend_does_not_know_has_no_orders(backend: FakeBackend, steering: Steering) -> None:
    orders = Orders(partial(AgentClient, backend.url, "token"), trial_spec().trial_id, steering)
    orders.start()
    orders.join(30)
    assert not orders.is_alive()
