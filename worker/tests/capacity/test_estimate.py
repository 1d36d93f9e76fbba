"""The posterior against what follows without arithmetic."""

import numpy as np
import pytest
from ngxlab_worker.capacity.bounds import Tried
from ngxlab_worker.capacity.estimate import posterior


def steps(*results: tuple[float, str]) -> list[Tried]:
    return [Tried(per_s, 1, "met" if result == "met" else "missed") for per_s, result in results]


def test_before_any_step_every_ratio_is_as_likely() -> None:
    prior = posterior([], 10, 1000)
    assert prior.quantile(0.5) == pytest.approx(100)
    assert prior.quantile(0.25) == pytest.approx(10**1.5)
    assert prior.mass.sum() == pytest.approx(1)


def test_void_steps_change_nothing() -> None:
    void = posterior([Tried(50, 1, "void")], 10, 1000)
    assert void.quantile(0.5) == pytest.approx(100)


def test_a_cliff_is_bracketed_and_the_interval_narrows_with_the_bracket() -> None:
    wide = posterior(steps((900, "met"), (900, "met"), (1100, "missed"), (1100, "missed")), 100, 10_000)
    closer = [(995, "met"), (995, "met"), (1005, "missed"), (1005, "missed")]
    narrow = posterior(steps((900, "met"), (900, "met"), (1100, "missed"), (1100, "missed"), *closer), 100, 10_000)
    for found in (wide, narrow):
        assert found.quantile(0.025) < 1000 < found.quantile(0.975)
        assert found.quantile(0.5) == pytest.approx(1000, rel=0.02)
    assert narrow.width() < wide.width() / 2


def test_one_miss_far_below_moves_little() -> None:
    clean = [(990, "met")] * 3 + [(1010, "missed")] * 3 + [(700, "met"), (800, "met")]
    found, disturbed = posterior(steps(*clean), 100, 10_000), posterior(steps(*clean, (400, "missed")), 100, 10_000)
    assert disturbed.quantile(0.5) == pytest.approx(found.quantile(0.5), rel=0.01)


def test_it_does_not_depend_on_the_unit() -> None:
    results = [(900, "met"), (1100, "missed"), (1000, "missed"), (950, "met")]
    one = posterior(steps(*results), 100, 10_000)
    thousand = posterior(steps(*((1000 * per_s, result) for per_s, result in results)), 1e5, 1e7)
    shares = np.linspace(0.05, 0.95, 7)
    assert [thousand.quantile(share) for share in shares] == pytest.approx([1000 * one.quantile(x) for x in shares])
