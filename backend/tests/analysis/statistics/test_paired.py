"""Margins and quantiles."""

import pytest
from ngxlab.analysis.statistics.paired import noise_margin, t_quantile


def test_the_margin_is_the_noise_of_the_host_if_that_is_wider() -> None:
    assert [noise_margin(width) for width in (None, 0.01, 0.03)] == [0.02, 0.02, 0.03]


def test_quantiles_of_students_t() -> None:
    assert t_quantile(4) == pytest.approx(2.776445, abs=1e-6)
