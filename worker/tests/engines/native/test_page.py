"""The shared page against the reference implementation of HdrHistogram."""

from pathlib import Path

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from ngxlab_worker.engines.histogram import SIGNIFICANT_DIGITS
from ngxlab_worker.engines.native import page
from tests.support.native import ask, compile_part

VALUES = [0, 1, 1023, 1024, 2047, 2048, 2049, 4095, 4096, 99_999, 1_000_000, 59_999_999, 600_000_000]


@pytest.fixture(scope="module")
def reference() -> HdrHistogram:
    return HdrHistogram(1, page.HIGHEST_US, SIGNIFICANT_DIGITS)


def test_cells_are_those_of_hdr_histogram(reference: HdrHistogram, tmp_path: Path) -> None:
    assert reference.counts_len == page.HISTOGRAM_CELLS
    random = np.random.default_rng(4).integers(0, page.HIGHEST_US, 2000).tolist()
    values = [*VALUES, *random]
    program = compile_part("histogram", [], tmp_path)
    cells = [int(line) for line in ask(program, given="\n".join(map(str, values)).encode()).split()]
    assert cells == [reference._counts_index_for(value) for value in values]
    for value, cell in zip(values, cells, strict=True):
        assert reference.get_lowest_equivalent_value(value) == page.LATENCY_US[cell]


def test_what_is_beyond_the_highest_counts_as_the_highest(reference: HdrHistogram, tmp_path: Path) -> None:
    program = compile_part("histogram", [], tmp_path)
    cell = int(ask(program, given=str(2**63).encode()))
    assert cell == reference._counts_index_for(page.HIGHEST_US)


def test_a_fresh_page_is_empty() -> None:
    fresh = page.Page(3, 2)
    fresh.handed_over()
    assert fresh.states() == [page.PREPARING] * 3
    assert set(fresh.counters().values()) == {0}
    assert fresh.counts(1).total == 0
