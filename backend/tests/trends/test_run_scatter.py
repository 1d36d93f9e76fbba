"""How much runs of the same thing differ, of lines whose scatter is known."""

import math
from collections.abc import Sequence
from uuid import uuid4

import numpy as np
import pytest
from ngxlab.core.clock import utcnow
from ngxlab.runs.results.run_points import ArmPoint, MetricPoints, RunPoints
from ngxlab.trends.lines import Line, lines_of
from ngxlab.trends.readings import Reading
from ngxlab.trends.repository import StoredRun
from ngxlab.trends.run_scatter import scatter_of


def experiment(*runs: tuple[int, Sequence[float]]) -> list[Line]:
    """``runs``: of each the version of its definition, and the mean of each arm."""
    return lines_of([_reading(number, *run) for number, run in enumerate(runs, start=1)])


def _reading(number: int, version: int, means: Sequence[float]) -> Reading:
    row = StoredRun(uuid4(), number, "completed", None, version, utcnow(), None, None, 0, True, None, [], 9)
    arms = {f"a{arm}": ArmPoint(mean=mean, trials=5) for arm, mean in enumerate(means)}
    points = MetricPoints(name="requests_per_s", margin=0.02, void=None, arms=arms)
    return Reading(row, RunPoints(arms={arm: arm for arm in arms}, loads={}, builds=[], window=None, metrics=[points]))


def test_it_is_the_deviation_of_the_logarithms_of_means() -> None:
    means = [1000.0, 1010.0, 990.0, 1004.0]
    found = scatter_of([experiment(*((1, [mean]) for mean in means))])["requests_per_s"]
    assert found.deviation == pytest.approx(np.log(means).std(ddof=1))
    assert found.degrees == 3


def test_another_version_is_another_thing() -> None:
    runs = [(1, [1000.0]), (1, [1010.0]), (2, [2000.0]), (2, [2020.0])]
    found = scatter_of([experiment(*runs)])["requests_per_s"]
    assert found.deviation == pytest.approx(math.log(1.01) / math.sqrt(2))
    assert found.degrees == 2


def test_arms_of_a_run_share_what_differs_between_runs_and_experiments_do_not() -> None:
    runs = [(1, [1000.0, 500.0]), (1, [1010.0, 505.0]), (1, [990.0, 495.0])]
    one, both = (scatter_of([experiment(*runs)] * count)["requests_per_s"] for count in (1, 2))
    assert (one.degrees, both.degrees) == (2, 4)
    assert one.deviation == pytest.approx(both.deviation)


def test_single_runs_say_nothing() -> None:
    assert scatter_of([experiment((1, [1000.0]), (2, [1010.0])), experiment((1, [900.0]))]) == {}
