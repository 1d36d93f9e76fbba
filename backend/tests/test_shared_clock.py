"""A backend follows the database's clock where its own is certainly wrong, and otherwise keeps its own."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from ngxlab.core import clock
from ngxlab.core.clock import from_us, machine_us, now_us, utcnow
from ngxlab.core.shared_clock import Reading, SharedClock
from structlog.testing import capture_logs


@pytest.fixture(autouse=True)
def _right_again() -> Iterator[None]:
    yield
    clock.shift(0)


class _Database:
    """Its machine's clock is ahead by so much; the way there takes so long."""

    def __init__(self, ahead_us: int, way_s: float) -> None:
        self.ahead_us, self._way_s = ahead_us, way_s

    async def ask(self, _: object) -> Any:
        await asyncio.sleep(self._way_s)
        there_us = machine_us() + self.ahead_us
        await asyncio.sleep(self._way_s)
        return [{"us": there_us}]


def look(database: _Database) -> None:
    with capture_logs():
        asyncio.run(SharedClock(database).look())  # type: ignore[arg-type]


def test_a_clock_that_is_wrong_is_set_right() -> None:
    database = _Database(ahead_us=-60_000_000, way_s=0.01)
    look(database)
    assert abs(now_us() - machine_us() + 60_000_000) < 500_000
    assert abs((utcnow() - from_us(now_us())).total_seconds()) < 0.5
    shift_us = clock.shift_us()
    look(database)
    assert clock.shift_us() == shift_us
    database.ahead_us = 0
    look(database)
    assert abs(clock.shift_us()) < 500_000


def test_a_difference_that_may_be_the_way_corrects_nothing() -> None:
    look(_Database(ahead_us=20_000, way_s=0.1))
    assert clock.shift_us() == 0


@pytest.mark.parametrize(("reading", "shift_us", "agrees"), [
    (Reading(5, 5), 0, True),
    (Reading(6, 5), 0, False),
    (Reading(-6, 5), 0, False),
    (Reading(60_000_003, 5), 60_000_000, True),
])  # fmt: skip
def test_what_is_within_its_own_uncertainty_agrees(reading: Reading, shift_us: int, agrees: bool) -> None:
    assert reading.agrees_with(shift_us) is agrees


def test_an_instant_is_converted_to_the_microsecond() -> None:
    assert from_us(1_800_000_000_123_457).isoformat() == "2027-01-15T08:00:00.123457+00:00"
    assert from_us(-1).isoformat() == "1969-12-31T23:59:59.999999+00:00"
