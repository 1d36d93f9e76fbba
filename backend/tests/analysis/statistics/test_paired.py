"""Quantiles."""

import pytest
from ngxlab.analysis.statistics.paired import t_quantile


def test_quantiles_of_students_t() -> None:
    assert t_quantile(4) == pytest.approx(2.776445, abs=1e-6)
