"""nginx's own times, parsed."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngxlab_worker.nginx.access_log import LogError, parse_block

GOLDEN = Path(__file__).parent / "golden"


def test_a_log_written_by_nginx() -> None:
    """A slow upstream, one that refused and was replaced by another, one that refused, and none."""
    times = parse_block((GOLDEN / "access_log_debian_1.22.1").read_bytes())
    assert times.request_ms.tolist() == [0, 50, 20, 0, 0]
    assert times.upstream_ms.tolist() == [-1, 50, 20, 0, -1]
    assert (np.diff(times.ended_ms) >= 0).all()


@pytest.mark.parametrize(
    ("column", "milliseconds"),
    [
        (b"-", -1),
        (b"0.000", 0),
        (b"12.345", 12_345),
        (b"0.001, 0.002", 3),
        (b"0.001 : 0.002, 0.003", 6),
        (b"-, 0.004", 4),
        (b"-, -", -1),
    ],
)
def test_an_upstream_s_time_may_have_parts(column: bytes, milliseconds: int) -> None:
    times = parse_block(b"1763709000.001 0.020 %s 200\n1763709000.002 0.020 0.005 200\n" % column)
    assert times.upstream_ms.tolist() == [milliseconds, 5]


millisecond = st.integers(min_value=0, max_value=4_000_000)


@given(st.lists(st.tuples(millisecond, st.none() | millisecond), min_size=1))
def test_whatever_nginx_may_log_comes_back(rows: list[tuple[int, int | None]]) -> None:
    lines = [
        f"1763709000.{n % 1000:03d} {request / 1000:.3f} {'-' if upstream is None else f'{upstream / 1000:.3f}'} 200\n"
        for n, (request, upstream) in enumerate(rows)
    ]
    times = parse_block("".join(lines).encode())
    assert times.request_ms.tolist() == [request for request, _ in rows]
    assert times.upstream_ms.tolist() == [-1 if upstream is None else upstream for _, upstream in rows]


@pytest.mark.parametrize(
    "block", [b"hello\n", b"1.000 2.000 3.000\n", b"1.000 2.000 x 200\n", b"1.000 2.000 - 200 5\n"]
)
def test_anything_else_is_refused(block: bytes) -> None:
    with pytest.raises(LogError):
        parse_block(block)
