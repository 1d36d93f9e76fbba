"""The short form of ``make soak``."""

from scripts.soak.storm import Storm
from scripts.testbed.stack import Stack


def test_whatever_is_killed_runs_end_with_a_reason_and_nothing_is_left(stack: Stack) -> None:
    storm = Storm(stack, seed=7)
    storm.blow(kills=6)
    assert storm.killed.total() == 6
