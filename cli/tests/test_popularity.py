"""Zipf's law from a log: logs of a known law have it found, and what a cache is worth with it."""

import numpy as np
import pytest
from ngxlab_cli.mix.access_log import Line
from ngxlab_cli.mix.model import FEWEST_HASHES, MOST_HASHES, Entry
from ngxlab_cli.mix.popularity import Popularity
from numpy.typing import NDArray


def law_of(numbers: NDArray[np.int64], most: int = MOST_HASHES) -> Popularity | None:
    entry = Entry("GET", "/{n}", 1)
    line = Line("GET", "/", 200, 5, "", None)
    for number in numbers.tolist():
        entry.add(line, f"/item/{number}", most)
    return entry.popularity


def zipf(count: int, exponent: float) -> NDArray[np.float64]:
    weights = np.arange(1, count + 1, dtype=float) ** -exponent
    found: NDArray[np.float64] = weights / weights.sum()
    return found


def drawn(seed: int, count: int, exponent: float, requests: int) -> NDArray[np.int64]:
    found: NDArray[np.int64] = np.random.default_rng(seed).choice(count, requests, p=zipf(count, exponent))
    return found


def hits(count: int, exponent: float, requests: int) -> float:
    """Of an endless cache, expected."""
    return 1 - float((1 - (1 - zipf(count, exponent)) ** requests).sum()) / requests


@pytest.mark.parametrize(
    ("exponent", "count", "requests", "most"),
    [
        (0.6, 2000, 20_000, MOST_HASHES),
        (1.0, 10_000, 12_000, MOST_HASHES),
        (1.0, 10_000, 12_000, FEWEST_HASHES),
        (0.9, 100_000, 50_000, MOST_HASHES),
        (1.2, 10_000, 200_000, MOST_HASHES),
        (2.0, 1000, 5000, MOST_HASHES),
    ],
)
def test_the_law_of_a_log_is_found(exponent: float, count: int, requests: int, most: int) -> None:
    law = law_of(drawn(4, count, exponent, requests), most)
    assert law is not None
    assert abs(law.exponent - exponent) < 3.3 * law.error
    assert law.error < 0.06
    within = 0.01 if most == MOST_HASHES else 0.03  # by how many different ones a small sample says there were
    for asked in (requests, requests // 4):
        assert hits(law.count, law.exponent, asked) == pytest.approx(hits(count, exponent, asked), abs=within)


def test_its_interval_holds_the_exponent_as_often_as_it_says() -> None:
    """95 % of 60 logs are 57; below 51 is one in a thousand."""
    laws = [law_of(drawn(seed, 300, 0.8, 1000)) for seed in range(60)]
    assert sum(law is not None and abs(law.exponent - 0.8) < 1.96 * law.error for law in laws) >= 51


@pytest.mark.parametrize(("count", "requests"), [(50, 3000), (5000, 20_000), (1_000_000, 20_000), (2, 100)])
def test_numbers_that_are_alike_have_no_law(count: int, requests: int) -> None:
    rng = np.random.default_rng(6)
    assert [law_of(rng.integers(count, size=requests)) for _ in range(5)] == [None] * 5


def test_a_sample_of_counts_is_exact() -> None:
    numbers = drawn(1, 3000, 1.0, 20_000)
    entry = Entry("GET", "/{n}", 1)
    for number in numbers.tolist():
        entry.add(Line("GET", "/", 200, 5, "", None), str(number), FEWEST_HASHES)
    whole = np.bincount(numbers)
    assert len(entry.came) == FEWEST_HASHES
    assert sorted(entry.came) == entry.smallest
    assert set(entry.came.values()) <= set(whole.tolist())
    assert sum(entry.came.values()) < numbers.size


def test_a_sample_that_was_cut_does_not_grow_again() -> None:
    """Though there is room for it: what it had to leave out was not counted."""
    numbers = drawn(1, 3000, 1.0, 20_000).tolist()
    entry = Entry("GET", "/{n}", 1)
    for i, number in enumerate(numbers):
        entry.add(Line("GET", "/", 200, 5, "", None), str(number), FEWEST_HASHES if i < 10_000 else MOST_HASHES)
    once = Entry("GET", "/{n}", 1)
    for number in numbers:
        once.add(Line("GET", "/", 200, 5, "", None), str(number), FEWEST_HASHES)
    assert (entry.smallest, entry.came, entry.count) == (once.smallest, once.came, once.count)
