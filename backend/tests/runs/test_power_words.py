"""The size of a change that a plan finds, in words."""

import pytest
from ngxlab.analysis.schemas import MetricNoise
from ngxlab.runs.power.plan import effect_size


@pytest.mark.parametrize(("effect", "text"), [(0.034, "0.034 MB"), (99.9, "99.9 MB"), (1634, "1,634 MB")])
def test_a_difference_is_said_in_its_unit_and_without_powers_of_ten(effect: float, text: str) -> None:
    noise = MetricNoise(
        metric="m",
        title="M",
        unit="MB",
        scale="difference",
        deviation=1,
        degrees=4,
        half_width=1,
        blocks=3,
        differ=False,
    )
    assert effect_size(noise, effect) == text
