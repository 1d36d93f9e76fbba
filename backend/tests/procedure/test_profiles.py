"""What is said of functions, on drawn samples whose truth is known."""

import numpy as np
import pytest
from ngxlab_verdict import FALSE_DISCOVERIES, FrameDifferences, Sampled, differences
from ngxlab_verdict.design import Floats
from ngxlab_verdict.profiles import benjamini_hochberg
from scipy.stats import false_discovery_control

REPEATS = 200
SAMPLES = 2_000
"""Of a trial: one worker for 20 seconds at 99 Hz."""


def shares(functions: int = 150) -> Floats:
    """Few functions take much, many take little, as profiles are."""
    sizes = 1.0 / np.arange(1, functions + 1)
    return np.asarray(sizes / sizes.sum(), np.float64)


def drawn(random: np.random.Generator, expected: Floats, *, trials: int = 2, scatter: float = 0.0) -> Sampled:
    """Profiles of an arm in which each function takes ``expected`` microseconds a request. ``scatter``: of a trial."""
    levels = 1 + scatter * random.standard_normal((trials, 1))
    requests = random.uniform(0.8, 1.2, trials)
    samples = random.poisson(np.maximum(0, levels) * requests[:, None] * expected).astype(float)
    return Sampled(samples, samples.sum(axis=1), requests)


def said(found: FrameDifferences) -> set[int]:
    return {int(function) for function in np.flatnonzero(found.q <= FALSE_DISCOVERIES)}


@pytest.mark.parametrize("scatter", [0.0, 0.02])
@pytest.mark.parametrize("trials", [2, 5])
def test_of_two_profiles_of_one_arm_nothing_is_said(trials: int, scatter: float) -> None:
    random = np.random.default_rng(20261127)
    expected = SAMPLES * shares()
    alarms = 0
    for _ in range(REPEATS):
        one, other = (drawn(random, expected, trials=trials, scatter=scatter) for _ in range(2))
        alarms += bool(said(differences(one, other)))
    assert alarms <= 0.05 * REPEATS


def test_a_planted_tenth_is_said_and_its_interval_holds() -> None:
    random = np.random.default_rng(7)
    base = SAMPLES * shares()
    more = base.copy()
    more[40] += 0.1 * SAMPLES
    hits = covered = false = 0
    for _ in range(REPEATS):
        found = differences(drawn(random, more), drawn(random, base))
        names = said(found)
        hits += 40 in names
        false += bool(names - {40})
        covered += found.low[40] <= 0.1 * SAMPLES <= found.high[40]
        assert int(np.argmax(np.abs(found.difference))) == 40
    assert hits >= 0.98 * REPEATS
    assert covered >= 0.95 * REPEATS
    assert false <= 0.08 * REPEATS


def test_with_the_arms_swapped_the_signs_are() -> None:
    random = np.random.default_rng(3)
    one, other = drawn(random, SAMPLES * shares()), drawn(random, 1.3 * SAMPLES * shares())
    there, back = differences(one, other), differences(other, one)
    np.testing.assert_allclose(there.difference, -back.difference)
    np.testing.assert_allclose(there.low, -back.high)
    np.testing.assert_allclose(there.q, back.q)


def test_what_was_hardly_seen_and_one_trial_tell_nothing() -> None:
    random = np.random.default_rng(5)
    rare = np.array([1.0, 2_000.0])
    assert differences(drawn(random, rare), drawn(random, rare)).q[0] == 1
    with pytest.raises(ValueError, match="two trials"):
        differences(drawn(random, rare, trials=1), drawn(random, rare))


def test_the_false_discovery_rate_is_that_of_scipy() -> None:
    p_values = np.random.default_rng(1).uniform(size=50) ** 3
    np.testing.assert_allclose(benjamini_hochberg(p_values), false_discovery_control(p_values))
