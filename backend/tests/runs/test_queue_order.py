"""Who is first: pure decisions on made-up queues."""

from uuid import UUID

import pytest
from ngxlab.runs.queue.order import Holder, QueuedHost, QueuedRun, Wait, waits

A, B = (QueuedHost(UUID(int=number), name, None) for number, name in ((1, "alpha"), (2, "beta")))
AWAY = QueuedHost(UUID(int=3), "gamma", "is offline since noon")


def run(number: int, *hosts: QueuedHost) -> QueuedRun:
    return QueuedRun(UUID(int=100 + number), hosts)


def _id(number: int) -> UUID:
    return UUID(int=100 + number)


def test_the_oldest_run_of_each_host_may_start() -> None:
    assert waits([run(1, A), run(2, B), run(3, A), run(4, A, B)], {}) == {
        _id(3): Wait("Waits for its turn. 1 run is ahead in the queue of its hosts.", 2),
        _id(4): Wait("Waits for its turn. 3 runs are ahead in the queue of its hosts.", 4),
    }


def test_a_run_that_misses_a_host_says_which_and_holds_nobody_up() -> None:
    assert waits([run(1, A, AWAY), run(2, A)], {}) == {_id(1): Wait("Waits for host gamma: it is offline since noon.")}


def test_a_used_host_is_named_with_the_run_that_uses_it() -> None:
    holders = {A.id: Holder(_id(9), "Sockets #9")}
    assert waits([run(1, A), run(2, A, B), run(3, B)], holders) == {
        _id(1): Wait("Waits for host alpha: Sockets #9 uses it.", 1, _id(9)),
        _id(2): Wait("Waits for host alpha: Sockets #9 uses it. 1 run is ahead in the queue of its hosts.", 2, _id(9)),
        _id(3): Wait("Waits for its turn. 1 run is ahead in the queue of its hosts.", 2),
    }


@pytest.mark.parametrize("holder", [1, 2])
def test_a_run_does_not_wait_for_itself(holder: int) -> None:
    found = waits([run(1, A)], {A.id: Holder(_id(holder), "itself or another")})
    assert (_id(1) in found) == (holder != 1)
