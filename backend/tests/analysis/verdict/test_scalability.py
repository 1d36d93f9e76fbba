"""The universal scalability law against data whose parameters are known, and against other laws."""

from collections.abc import Callable, Sequence

import numpy as np
from ngxlab.analysis.schemas import CurveRate, Scalability, TrialCurve
from ngxlab.analysis.summary.curve import curve_of
from ngxlab.analysis.verdict import curve as arm_curve
from ngxlab.analysis.verdict.scalability import Law, scalability_of
from numpy.typing import NDArray

NUMBERS = np.array([1, 2, 4, 8, 12, 16, 24, 32, 48, 64])
TRUE = Law(per_connection=1000, contention=0.03, coherency=0.0008)
PEAK = np.sqrt((1 - TRUE.contention) / TRUE.coherency)
Floats = NDArray[np.float64]


def rate(number: int, connections: int, per_s: float, *, late: bool = False) -> CurveRate:
    return CurveRate(
        number=number, t_s=number, seconds=1, per_s=per_s, achieved_per_s=per_s, due=round(per_s), served=round(per_s),
        failed=0, p50_us=1000, p90_us=1000, p99_us=1000, p999_us=None, followed=True, cut_short=False,
        generator_late=late, connections=connections,
    )  # fmt: skip


def trial(per_s: Sequence[float] | Floats, numbers: Sequence[int] | NDArray[np.int64] = NUMBERS) -> TrialCurve:
    rates = [rate(at, int(n), float(value)) for at, (n, value) in enumerate(zip(numbers, per_s, strict=True), 1)]
    return curve_of("main", len(rates), rates)


def drawn(law: Callable[[Floats], Floats], random: np.random.Generator, blocks: int = 5) -> list[TrialCurve]:
    """Blocks that differ by 3 %, and each of their values by 2 %."""
    exact = law(NUMBERS.astype(float))
    block = np.exp(random.normal(0, 0.03, (blocks, 1)))
    return [trial(row) for row in exact * block * np.exp(random.normal(0, 0.02, (blocks, exact.size)))]


def found(curves: list[TrialCurve]) -> Scalability:
    law = scalability_of(curves)
    assert isinstance(law, Scalability)
    return law


def test_intervals_cover_the_parameters_and_the_peak() -> None:
    random, experiments, held = np.random.default_rng(28), 600, np.zeros(4)
    truth = (TRUE.per_connection, TRUE.contention, TRUE.coherency, PEAK)
    for _ in range(experiments):
        law = found(drawn(TRUE.per_s, random))
        assert law.peak is not None
        figures = (law.per_connection, law.contention, law.coherency, law.peak)
        held += [(one.low or 0) <= true <= (one.high or 0) for one, true in zip(figures, truth, strict=True)]
    assert (held / experiments).min() >= 0.93


def test_without_noise_the_parameters_are_exact() -> None:
    law = found([trial(TRUE.per_s(NUMBERS.astype(float)))] * 2)
    assert np.allclose(
        (law.per_connection.mean, law.contention.mean, law.coherency.mean),
        (TRUE.per_connection, TRUE.contention, TRUE.coherency),
    )
    assert law.misfit_percent < 0.001


def test_no_peak_is_named_where_there_is_none() -> None:
    random, laws = np.random.default_rng(7), (Law(1000, 0, 0), Law(1000, 0.05, 0), Law(1000, 0.02, 0.00005))
    named = sum(found(drawn(law.per_s, random)).peak is not None for law in laws for _ in range(100))
    assert named <= 0.02 * 300
    assert str(found(drawn(laws[0].per_s, random)).without_peak) == "no peak from 1 to 64 connections"


def test_a_corner_is_no_scalability_law() -> None:
    random = np.random.default_rng(3)

    def limited(numbers: Floats) -> Floats:
        return np.minimum(numbers * 100, 1000)

    for _ in range(50):
        law = scalability_of(drawn(limited, random))
        assert not isinstance(law, Scalability)
        assert str(law).startswith("no scalability law fits")


def test_what_the_law_needs() -> None:
    assert scalability_of([]) is None
    few = scalability_of([trial([100, 200, 300], [1, 2, 3])])
    assert str(few) == "the scalability law needs 5 numbers of connections in each trial: one has 3"
    alone = found([trial(TRUE.per_s(NUMBERS.astype(float)))])
    assert (alone.peak, str(alone.without_peak)) == (None, "one trial alone shows no peak")


def test_a_constant_delay_has_no_plateau_and_no_knee() -> None:
    random, d_s = np.random.default_rng(1), 0.01
    curves = drawn(lambda numbers: numbers / d_s, random)
    assert [one.plateau_per_s for one in curves] == [None] * 5
    assert all(one.followed_all for one in curves)
    assert str(curves[0].without_plateau) == "throughput rises with the connections up to 64"


def test_a_law_that_has_no_throughput_between_the_numbers_tried_is_none() -> None:
    """Each connection has the more the more there are (as with idle states), and a gap in the numbers hides where the
    fitted cost of a request falls below nothing: no law, and no peak, rather than the logarithm of a negative."""
    random, numbers = np.random.default_rng(3), np.array([1, 2, 3, 4, 100])
    for _ in range(400):
        rise, most, bend = random.uniform(0, 1), 10 ** random.uniform(2.7, 4.2), random.uniform(2, 8)
        plain = numbers * 100 * (1 + rise * (numbers - 1) / (numbers + random.uniform(0, 5)))
        per_s = plain * most / (plain**bend + most**bend) ** (1 / bend)
        per_s = per_s * (1 - random.uniform(0, 0.6) * (numbers / numbers.max()) ** 1.5)
        curves = [trial(per_s * random.lognormal(0, 0.02, numbers.size), numbers) for _ in range(2)]
        law = scalability_of(curves)
        assert law is not None
        assert not isinstance(law, Scalability) or law.peak is None or 1 <= law.peak.mean <= 100


def test_a_plateau_and_its_knee_are_found() -> None:
    random, off = np.random.default_rng(2), []
    for _ in range(200):
        for one in drawn(lambda numbers: np.minimum(numbers * 100, 1000), random, blocks=1):
            assert one.plateau_per_s is not None
            assert one.knee_connections is not None
            off.append(one.plateau_per_s / (one.rates[0].achieved_per_s * 10))
    assert abs(np.mean(off) - 1) < 0.02


def test_an_arm_has_its_points_by_connections_and_its_knee() -> None:
    exact = np.minimum(NUMBERS * 100.0, 1000)
    blocks = [trial(exact * factor) for factor in (0.99, 1.0, 1.01)]
    arm = arm_curve.of_curves(blocks)
    assert arm is not None
    assert [point.connections for point in arm.points] == list(NUMBERS)
    assert arm.knee is not None
    assert abs(arm.knee.mean / 10 - 1) < 0.001
    assert str(arm.without_scalability).startswith("no scalability law fits")


def test_a_number_at_which_the_generator_was_busy_does_not_count() -> None:
    rates = [rate(1, 1, 100), rate(2, 8, 800), rate(3, 64, 900, late=True)]
    one = curve_of("main", 3, rates)
    assert one.plateau_per_s is None
    assert str(one.without_plateau).startswith("only 2 of 3 numbers of connections count, and throughput rises")
