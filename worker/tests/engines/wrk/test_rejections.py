"""wrk counts responses and rejections at one moment, and its histogram is read later (real: tests/trial)."""

import pytest
from ngxlab_worker.engines.wrk.rejections import Tally, rejected_among


@pytest.mark.parametrize(
    ("responses", "after", "rejected"),
    [
        (1000, Tally(1000, 980), 980),  # wrk stood still
        (1500, Tally(1500, 1478), 1478),  # 500 came, of which 2 were served
        (1250, Tally(1500, 1478), 1229),  # the histogram was read halfway
        (1400, Tally(1400, 980), 980),  # all that came was served
        (999, Tally(1500, 1478), 980),  # never fewer than before it
        (1600, Tally(1500, 1478), 1478),  # nor more than after it
        (100, Tally(1500, 1478), 980),  # pipelined: fewer latencies than responses
    ],
)
def test_the_rejected_of_a_histogram_between_two_tallies(responses: int, after: Tally, rejected: int) -> None:
    assert rejected_among(responses, Tally(1000, 980), after) == rejected
