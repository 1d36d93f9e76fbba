"""Payloads are read as HdrHistogram's own library reads them, and nothing else is taken for one."""

import base64
import ctypes
import struct
import zlib

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st
from ngxlab.analysis.statistics.hdr_payload import filled

_HEADER = struct.Struct(">iiiiqqd")


def _encoded(values: list[int], highest: int = 60_000_000) -> str:
    recorder = HdrHistogram(1, highest, 3)
    for value in values:
        recorder.record_value(value)
    payload: bytes = recorder.encode()
    return payload.decode()


@given(st.lists(st.integers(1, 60_000_000), min_size=1, max_size=60))
def test_counts_are_those_of_the_library(values: list[int]) -> None:
    payload = _encoded(values)
    decoded = HdrHistogram.decode(payload)
    counts = np.frombuffer(ctypes.string_at(decoded.counts, decoded.counts_len * 8), np.uint64)
    read = filled(payload)
    assert read.significant_figures == 3
    assert read.index.tolist() == np.flatnonzero(counts).tolist()
    assert read.count.tolist() == counts[counts > 0].tolist()


def _made(numbers: bytes, *, highest: int = 1000, length: int | None = None) -> str:
    size = len(numbers) if length is None else length
    content = _HEADER.pack(0x1C849313, size, 0, 3, 1, highest, 1.0) + numbers
    packed = zlib.compress(content)
    return base64.b64encode(struct.pack(">ii", 0x1C849314, len(packed)) + packed).decode()


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        ("AAAA", "no compressed histogram"),
        (base64.b64encode(struct.pack(">ii", 0x1C849314, 4) + b"abcd").decode(), "incorrect header"),
        (_made(b"\x82"), "cut off"),
        (_made(b"\xff" * 9 + b"\x01"), "too large"),
        (_made(b"\x02", length=7), "its length"),
        (_made(b"\x02", highest=2**51), "precision or range"),
        (_made(b"\xff\xff\x03\x02"), "above its highest value"),
    ],
)
def test_what_is_no_histogram_is_refused(payload: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        filled(payload)


def test_a_small_text_does_not_expand_without_bounds() -> None:
    packed = zlib.compress(bytes(64 << 20))
    with pytest.raises(ValueError, match="more than"):
        filled(base64.b64encode(struct.pack(">ii", 0x1C849314, len(packed)) + packed).decode())
