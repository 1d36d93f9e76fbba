"""What is said of the phases of requests, on drawn trials whose truth is known."""

import numpy as np
import pytest
from ngxlab_verdict import FALSE_DISCOVERIES, Timed, mean_differences
from ngxlab_verdict.design import Floats

REPEATS = 400
TRUTH = np.array([0.0, 0.3, 0.1, 20.0, 1.0, 0.5])


def drawn(random: np.random.Generator, means: Floats, *, trials: int, scatter: float) -> Timed:
    return Timed(means * (1 + scatter * random.standard_normal((trials, 1))), np.full((trials, means.size), 1e-4))


@pytest.mark.parametrize("scatter", [0.01, 0.2])
@pytest.mark.parametrize("trials", [2, 5])
def test_of_two_arms_that_are_alike_nothing_is_said(trials: int, scatter: float) -> None:
    random = np.random.default_rng(20261128)
    alarms = 0
    for _ in range(REPEATS):
        one, other = (drawn(random, TRUTH, trials=trials, scatter=scatter) for _ in range(2))
        alarms += bool((mean_differences(one, other).q <= FALSE_DISCOVERIES).any())
    assert alarms <= 0.06 * REPEATS


def test_a_phase_that_takes_longer_is_said_and_its_interval_holds() -> None:
    random = np.random.default_rng(1)
    more = TRUTH + np.array([0, 0, 0, 20.0, 0, 0])
    hits = covered = 0
    for _ in range(REPEATS):
        late, base = (drawn(random, means, trials=2, scatter=0.01) for means in (more, TRUTH))
        found = mean_differences(late, base)
        hits += bool(found.q[3] <= FALSE_DISCOVERIES)
        covered += bool(found.low[3] <= 20 <= found.high[3])
    assert hits >= 0.95 * REPEATS
    assert covered >= 0.95 * REPEATS


def test_one_trial_tells_nothing() -> None:
    random = np.random.default_rng(5)
    alone = drawn(random, TRUTH, trials=1, scatter=0.1)
    with pytest.raises(ValueError, match="two trials"):
        mean_differences(alone, alone)
