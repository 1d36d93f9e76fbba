"""What a trial waits for."""

import threading
from collections.abc import Callable

import pytest
from ngxlab_contracts.trials import Endpoint, TrialControl
from ngxlab_worker.core.clock import monotonic_us
from ngxlab_worker.uplink.steering import Steering, TrialStopError

TARGET = Endpoint(name="target", address="10.0.0.1", ports=[80])
APP = Endpoint(name="upstream.app", address="10.0.0.2", ports=[81, 82])


@pytest.fixture
def steering() -> Steering:
    return Steering(monotonic_us() + 60_000_000)


def soon(steering: Steering, *controls: TrialControl) -> None:
    """Give these orders one after the other, from another thread."""

    def tell() -> None:
        for control in controls:
            steering.update(control)

    threading.Timer(0.02, tell).start()


def test_endpoints_may_come_one_by_one(steering: Steering) -> None:
    known = TrialControl(endpoints=[TARGET], revision=1)
    soon(steering, known, TrialControl(endpoints=[TARGET, APP], revision=2))
    assert steering.await_endpoints(["upstream.app", "target"], 5) == {"target": TARGET, "upstream.app": APP}
    assert steering.revision == 2


def test_orders_that_arrive_after_newer_ones_are_left_aside(steering: Steering) -> None:
    steering.update(TrialControl(start_at_us=5, endpoints=[TARGET], revision=2))
    steering.update(TrialControl(endpoints=[TARGET], revision=1))
    assert (steering.revision, steering.await_start(0)) == (2, 5)
    steering.update(TrialControl(command="cancel", revision=1))
    with pytest.raises(TrialStopError):
        steering.pause(0)


def test_nobody_waits_for_nothing(steering: Steering) -> None:
    assert steering.await_endpoints([], 0) == {}


def test_missing_peers_are_named(steering: Steering) -> None:
    steering.update(TrialControl(endpoints=[TARGET]))
    with pytest.raises(TrialStopError, match=r"has announced upstream\.app within") as caught:
        steering.await_endpoints(["upstream.app", "target"], 0.01)
    assert caught.value.code == "peers-missing"


def test_the_end_of_all_streams(steering: Steering) -> None:
    assert not steering.await_streams_done(monotonic_us() + 1000)
    steering.update(TrialControl(streams_done=True))
    assert steering.await_streams_done(monotonic_us())


@pytest.mark.parametrize(
    "wait",
    [
        lambda steering: steering.await_endpoints(["target"], 5),
        lambda steering: steering.await_start(5),
        lambda steering: steering.pause(5),
    ],
)
def test_every_wait_ends_with_the_trial(steering: Steering, wait: Callable[[Steering], object]) -> None:
    soon(steering, TrialControl(command="cancel"))
    threading.Timer(0.05, lambda: steering.update(TrialControl(command="cancel"))).start()
    with pytest.raises(TrialStopError) as caught:
        wait(steering)
    assert caught.value.outcome == "cancelled"


def test_cancelling_forgets_nothing(steering: Steering) -> None:
    steering.update(TrialControl(start_at_us=5, endpoints=[TARGET], revision=2))
    steering.update(TrialControl(command="discard"))
    assert steering.revision == 2
