"""Many requests at once: who is begun when, and how long newcomers wait to be listened to."""

from collections import deque
from collections.abc import Callable

from ngxlab.core.connections.turns import AT_ONCE, Turns


class Loop:
    """An event loop whose requests cost a second of work each."""

    def __init__(self) -> None:
        self.now = 0.0
        self.begun: list[str] = []
        self._due: deque[Callable[[], None]] = deque()
        self.turns = Turns(self._due.append, lambda: self.now)

    def ask(self, lane: str, name: str | None = None) -> None:
        self.turns.wait(lane, lambda: self._begin(name or lane))

    def turn(self) -> list[str]:
        """What one turn of the loop has begun."""
        before = len(self.begun)
        self._due.popleft()()
        return self.begun[before:]

    def run(self) -> None:
        while self._due:
            self.turn()

    @property
    def is_idle(self) -> bool:
        return not self._due

    def _begin(self, name: str) -> None:
        self.begun.append(name)
        self.now += 1


def test_a_single_request_begins_in_the_next_turn() -> None:
    loop = Loop()
    loop.ask("a")
    assert loop.turn() == ["a"]
    assert loop.is_idle


def test_a_flood_begins_a_few_at_a_time_and_all_in_their_order() -> None:
    loop = Loop()
    for number in range(3 * AT_ONCE):
        loop.ask("flood", str(number))
    assert len(loop.turn()) == AT_ONCE
    loop.run()
    assert loop.begun == [str(number) for number in range(3 * AT_ONCE)]


def test_another_address_does_not_wait_for_a_flood() -> None:
    loop = Loop()
    for _ in range(1000):
        loop.ask("flood")
    loop.turn()
    loop.ask("a person")
    assert "a person" in loop.turn()


def test_new_connections_get_as_much_time_as_the_requests_of_others() -> None:
    loop = Loop()
    for _ in range(3 * AT_ONCE):
        loop.ask("flood")
    began = loop.now
    assert loop.turn()
    worked = loop.now - began
    listened = 0
    while True:  # the loop takes a connection in each turn, in a tenth of a second
        loop.turns.arrived()
        if loop.turn():
            break
        loop.now += 0.1
        listened += 1
    assert listened * 0.1 >= worked
    loop.turns.arrived()
    assert not loop.turn()
    assert loop.turn(), "nothing more arrives"


def test_a_request_that_cannot_begin_holds_up_no_other() -> None:
    loop = Loop()

    def fail() -> None:
        raise RuntimeError

    loop.turns.wait("a", fail)
    loop.ask("b")
    try:
        loop.turn()
    except RuntimeError:
        loop.run()
    assert loop.begun == ["b"]
