"""The order of trials: random, complete in each block, and balanced over positions."""

from collections import Counter

import pytest
from ngxlab.runs.planning import randomised_blocks


@pytest.mark.parametrize("arms", ["ab", "abc", "abcde", "abcdefghij", "a"])
def test_each_arm_is_in_each_position_equally_often(arms: str) -> None:
    plan = randomised_blocks(arms, 2 * len(arms), seed=7)
    assert [trial.position for trial in plan] == list(range(len(plan)))
    seen = Counter((trial.arm, trial.position % len(arms)) for trial in plan)
    assert set(seen.values()) == {2}
    assert len(seen) == len(arms) ** 2
    assert all(count == 1 for count in Counter((trial.arm, trial.block) for trial in plan).values())


def test_more_blocks_continue_the_same_sequence() -> None:
    plan = randomised_blocks("abcde", 9, seed=1)
    for blocks in range(1, 9):
        assert randomised_blocks("abcde", blocks, seed=1) == plan[: 5 * blocks]


def test_the_order_is_random() -> None:
    firsts = Counter(randomised_blocks("abc", 1, seed)[0].arm for seed in range(600))
    assert all(150 < firsts[arm] < 250 for arm in "abc")
    orders = {tuple(trial.arm for trial in randomised_blocks("abc", 3, seed)) for seed in range(200)}
    assert len(orders) == 12  # all Latin squares of three
