"""When a trial is checked while it is measured: soon where somebody looks, seldom where nobody does."""

import asyncio
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from ngxlab.runs.watch import live_checks


class _Lab:
    """A trial that sends a batch a second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s, self.watched, self.bus, self.trial_id = 1000.0, False, self, uuid4()
        self.checked_at: list[float] = []
        monkeypatch.setattr("ngxlab.runs.watch.live_checks.time.monotonic", lambda: self.now_s)
        monkeypatch.setattr(live_checks, "_ask", self._ask)

    def is_watched(self, _: UUID) -> bool:
        return self.watched

    async def _ask(self, *_: Any, watched: bool) -> None:
        assert watched == self.watched
        self.checked_at.append(self.now_s - 1000)

    def batches(self, seconds: int, state: str = "measuring") -> list[float]:
        """The seconds at which the trial was checked so far."""
        database: Any = self
        for _ in range(seconds):
            asyncio.run(live_checks.check_while_measured(database, uuid4(), self.trial_id, state))
            self.now_s += 1
        return self.checked_at


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Lab]:
    made = _Lab(monkeypatch)
    yield made
    made.batches(1, state="completed")


def test_who_looks_has_the_first_batch_checked_and_others_now_and_then(lab: _Lab) -> None:
    lab.watched = True
    assert lab.batches(12) == [0, 5, 10]


def test_a_trial_at_which_nobody_looks_is_checked_seldom_and_not_as_it_begins(lab: _Lab) -> None:
    assert lab.batches(60) == [30, 50]


def test_who_begins_to_look_has_the_next_batch_checked(lab: _Lab) -> None:
    lab.batches(3)
    lab.watched = True
    assert lab.batches(1) == [3]


def test_nothing_is_kept_of_a_trial_that_is_over(lab: _Lab) -> None:
    lab.batches(3)
    lab.batches(1, state="finishing")
    assert lab.trial_id not in live_checks._asked
