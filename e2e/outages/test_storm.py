"""The short form of ``make soak``."""

import random

import pytest

from scripts.soak.faults import Arsenal
from scripts.soak.storm import Storm
from scripts.testbed.stack import Stack


@pytest.mark.timeout(480)  # a run may have to wait for a host that a fault has silenced
def test_whatever_is_hit_nothing_is_lost_doubled_or_left_over(stack: Stack) -> None:
    """Without links, clocks, disk and replicas of its own, which would disturb the tests that share this stack."""
    storm = Storm(stack, Arsenal(stack, {}, {}, None, random.Random(7), long_share=0), scheduled=0)
    storm.blow(lambda so_far: so_far.hits.total() >= 8)
    assert storm.losses == []
