"""Values are written as pages write them; ``frontend/src/lib/format.test.ts`` has the same examples."""

import pytest
from ngxlab.exports.markdown import in_column


@pytest.mark.parametrize(
    ("value", "peers", "unit", "shown"),
    [
        (1210.4, [], "us", "1.21 ms"),
        (870.2, [1_240.0], "us", "0.87 ms"),
        (23_950.0, [], "us", "23.9 ms"),
        (15_378.2, [], "requests/s", "15,378 req/s"),
        (0.303, [], "CV", "0.30"),
        (0.0134, [], "%", "0.013 %"),
        (61.04, [], "%", "61.0 %"),
        (-4.0, [], "calls", "\N{MINUS SIGN}4 calls"),
        (52_428.8, [], "bytes", "51.2 KiB"),
        (512, [2_000_000], "bit/s", "0.000512 Mbit/s"),
        (0.0, [], "us", "0 µs"),
        (3.0, [], "", "3"),
    ],
)
def test_a_value_has_the_unit_that_reads_best(value: float, peers: list[float], unit: str, shown: str) -> None:
    assert in_column(value, peers, unit) == shown
