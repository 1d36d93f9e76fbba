"""How often a perturbation acts, as the designer says it beforehand."""

import pytest
from ngxlab.definition.preview.definition import Times, times
from ngxlab_contracts.perturbations import During, Every, Once, When


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        (Once(at_s=2), Times(2, 2, None, 1)),
        (Every(every_s=2), Times(0, 10, 2, 5)),
        (Every(every_s=0.2, from_s=0.5, until_s=1.1), Times(0.5, 1.1, 0.2, 3)),
        (Every(every_s=0.1, until_s=0.3), Times(0, 0.3, 0.1, 3)),
        (Every(every_s=3, from_s=1), Times(1, 10, 3, 3)),
        (During(from_s=1), Times(1, 10, None, 1)),
        (During(from_s=1, until_s=4), Times(1, 4, None, 1)),
    ],
)
def test_times_in_a_window_of_ten_seconds(when: When, expected: Times) -> None:
    assert times(when, 10) == expected
