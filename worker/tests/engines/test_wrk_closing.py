"""Counts that miss wrk's last moments are not compared with those that do not."""

import pytest
from ngxlab_worker.engines.wrk.closing import ClosingWatch

SECOND = 1_000_000


@pytest.mark.parametrize(
    ("last_read_us", "missed_us", "doubted"),
    [
        (2 * SECOND, 2 * SECOND + 2_000, False),
        (2 * SECOND, 2 * SECOND + 22_000, True),  # of 2 s at an even rate, 1.1 % of all requests
        (60 * SECOND, 60 * SECOND + 22_000, False),
        (1_000, 3_000, False),
        (1_000, 9_000, True),
    ],
)
def test_what_was_not_seen_is_weighed_against_the_whole_life(last_read_us: int, missed_us: int, doubted: bool) -> None:
    watch = ClosingWatch()
    watch.begin(0)
    watch.read(last_read_us)
    watch.missed(missed_us)
    watch.missed(missed_us + SECOND)  # the first failure counts
    assert (watch.doubt(missed_us + 2 * SECOND) is not None) == doubted


def test_a_reading_after_a_failed_one_makes_good() -> None:
    watch = ClosingWatch()
    watch.begin(0)
    watch.missed(SECOND)
    watch.read(2 * SECOND)
    watch.missed(2 * SECOND + 1_000)
    assert watch.doubt(5 * SECOND) is None


def test_a_wrk_that_was_killed_was_unseen_until_now() -> None:
    watch = ClosingWatch()
    watch.begin(0)
    watch.read(SECOND)
    assert "500 ms" in str(watch.doubt(SECOND + 500_000))
