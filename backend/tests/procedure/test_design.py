"""Least squares with blocks eliminated: the same as with a column for each block, without a matrix of all cells."""

import tracemalloc

import numpy as np
import pytest
from ngxlab_verdict import Experiment, Question, judge
from ngxlab_verdict.coarse import rank_interval
from ngxlab_verdict.design import Flags, design


def _columns(present: Flags) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """A row for each cell; a column for each block, and for each arm beside the baseline."""
    arm, block = np.nonzero(present)
    blocks, arms = np.arange(present.shape[1]), np.arange(1, len(present))
    return np.hstack([block[:, None] == blocks, arm[:, None] == arms]).astype(np.float64)


@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_the_fit_is_that_of_least_squares(missing: float) -> None:
    drawn = np.random.default_rng(1)
    for _ in range(50):
        arms, blocks = int(drawn.integers(2, 7)), int(drawn.integers(2, 12))
        present = drawn.random((arms, blocks)) >= missing
        values = drawn.normal(7, 1, (arms, blocks))
        columns, cells = _columns(present), values[present]
        solved, _, rank, _ = np.linalg.lstsq(columns, cells)
        if rank < present.any(axis=0).sum() + arms - 1:
            with pytest.raises(ValueError, match="not connected"):
                design(present)
            continue
        found = design(present)
        residuals = cells - columns @ solved
        assert found.differences(values) == pytest.approx(solved[blocks:], abs=1e-12)
        squares = np.bincount(np.nonzero(present)[0], residuals**2)
        assert found.squares(values) == pytest.approx(squares, abs=1e-12)
        assert found.degrees == len(cells) - rank
        left = 1 - np.diag(columns @ np.linalg.pinv(columns))
        assert found.own_degrees == pytest.approx(np.bincount(np.nonzero(present)[0], left), abs=1e-10)
        covariance = np.linalg.pinv(columns)[blocks:] @ np.linalg.pinv(columns)[blocks:].T
        assert found.weights.sum(axis=1) == pytest.approx(np.diag(covariance), abs=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.02])
def test_ten_thousand_blocks_take_no_matrix_of_all_cells(missing: float) -> None:
    drawn = np.random.default_rng(2)
    values = np.exp(drawn.normal(0, 0.03, (1, 5, 10_000)) + np.array([0, 0, 0, 0.01, 0.03])[:, None])
    values[drawn.random(values.shape) < missing] = np.nan
    tracemalloc.start()
    claims = judge(Experiment(["base", "a", "b", "c", "d"], ["rate"], values), Question(primary=["rate"], margin=0.02))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [claim.verdict for claim in claims] == ["equivalent", "equivalent", "equivalent", "better"]
    assert peak < 100 * values.nbytes  # a matrix of all cells has 50,000 times as many


def test_ten_thousand_coarse_pairs_have_an_interval() -> None:
    drawn = np.random.default_rng(3)
    base = drawn.integers(10, 15, 10_000).astype(np.float64)
    own = base + drawn.integers(0, 4, 10_000)
    ranked = rank_interval(own, base, "difference", 0.05)
    assert not isinstance(ranked, str)
    assert ranked.interval.low < 1.5 < ranked.interval.high
    assert ranked.interval.low > 0
    assert ranked.chance < 1e-12


def test_many_ranks_are_normal_where_few_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = np.random.default_rng(4)
    base = drawn.integers(10, 15, 250).astype(np.float64)
    own = base + drawn.integers(-1, 3, 250)
    for alpha in (0.05, 0.001):
        monkeypatch.undo()
        counted = rank_interval(own, base, "ratio", alpha)
        monkeypatch.setattr("ngxlab_verdict.coarse.EXACT_UP_TO", 0)
        normal = rank_interval(own, base, "ratio", alpha)
        assert not isinstance(counted, str)
        assert not isinstance(normal, str)
        assert normal.interval == pytest.approx(counted.interval, abs=2e-3)
        assert normal.chance == pytest.approx(counted.chance, rel=0.05)
