"""Quantiles against published tables and against scipy."""

import numpy as np
import pytest
from ngxlab_verdict.quantiles import dunnett_quantile, max_modulus_quantile, t_quantile, t_sf
from scipy.integrate import quad
from scipy.stats import chi, norm, t


@pytest.mark.parametrize(("arms", "degrees", "table"), [(1, 10, 2.23), (2, 10, 2.57), (4, 20, 2.65), (2, 5, 3.03)])
def test_dunnett_quantiles_are_those_of_dunnetts_table(arms: int, degrees: int, table: float) -> None:
    assert dunnett_quantile(0.05, arms, degrees) == pytest.approx(table, abs=0.015)


@pytest.mark.parametrize(("contrasts", "degrees", "table"), [(3, 10, 2.829), (5, 20, 2.827), (10, 30, 2.998)])
def test_max_modulus_quantiles_are_the_published_ones(contrasts: int, degrees: int, table: float) -> None:
    assert max_modulus_quantile(0.05, contrasts, degrees) == pytest.approx(table, abs=0.03)


@pytest.mark.parametrize("degrees", [1, 2, 4, 36])
def test_one_contrast_is_students_t(degrees: int) -> None:
    assert t_quantile(0.001, degrees) == pytest.approx(float(t.ppf(0.9995, degrees)), rel=1e-9)
    assert t_sf(np.array([2.5]), degrees)[0] == pytest.approx(2 * float(t.sf(2.5, degrees)), rel=1e-9)


@pytest.mark.parametrize("alpha", [0.05, 0.001, 1e-5])
@pytest.mark.parametrize("degrees", [1, 3, 16])
def test_a_quantile_has_its_probability(alpha: float, degrees: int) -> None:
    """By integration over the common estimate of the scatter, with scipy's distributions."""
    quantile = max_modulus_quantile(alpha, 4, degrees)

    def exceeded(log_scale: float) -> float:
        scale = np.exp(log_scale)
        inside = 2 * norm.cdf(quantile * scale) - 1
        density = chi.pdf(scale * np.sqrt(degrees), degrees) * np.sqrt(degrees) * scale
        return float((1 - inside**4) * density)

    probability, _ = quad(exceeded, -40, 3, limit=500, points=[-np.log(quantile), 0])
    assert probability == pytest.approx(alpha, rel=0.01)


def test_correlated_comparisons_need_less_than_independent_ones() -> None:
    assert t_quantile(0.05, 16) < dunnett_quantile(0.05, 4, 16) < max_modulus_quantile(0.05, 4, 16)


@pytest.mark.parametrize(("arms", "degrees"), [(3, 4), (9, 36)])
def test_dunnett_quantiles_have_their_probability_by_simulation(arms: int, degrees: int) -> None:
    random = np.random.default_rng(3)
    means, scale = random.standard_normal((200_000, arms + 1)), np.sqrt(random.chisquare(degrees, 200_000) / degrees)
    largest = np.abs(means[:, 1:] - means[:, :1]).max(axis=1) / np.sqrt(2) / scale
    assert np.mean(largest > dunnett_quantile(0.05, arms, degrees)) == pytest.approx(0.05, abs=0.0018)
