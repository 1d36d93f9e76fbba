"""How figures are written."""

import pytest
from ngxlab.templates.saying import said


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (226_320, "us", "226 ms"),
        (7_420_000, "us", "7.42 s"),
        (45, "us", "45 µs"),
        (3.149, "ms", "3.1 ms"),
        (0.2, "ms", "200 µs"),
        (9.51e9, "bits/s", "9.5 Gbit/s"),
        (1.03e9, "bit/s", "1 Gbit/s"),
        (2.5e6, "bytes/s", "2.5 MB/s"),
        (512.0, "bytes/s", "512 B/s"),
        (102_887, "bytes", "102,887 bytes"),
        (7.4e9, "bytes", "7.4 GB"),
        (8.08, "requests/s", "8.1 requests/s"),
        (13_053.4, "requests/s", "13,053 requests/s"),
        (0.0345, "%", "0.035 %"),
        (0, "%", "0 %"),
        (1.7321, "CV", "1.73"),
    ],
)
def test_three_digits_that_matter(value: float, unit: str, text: str) -> None:
    assert said(value, unit) == text
