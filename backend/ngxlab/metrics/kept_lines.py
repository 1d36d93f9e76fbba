"""All points of the lines that are made of histograms, as bytes: parts of a long trial are cut from them.

A histogram is costly to read, and its points are the same whichever part is drawn. (What is made of readings is not: a
rate is that between two readings of those that were chosen.)
"""

import json
import struct
from collections.abc import Collection, Sequence

import numpy as np

from ngxlab.analysis.series.derive import Within
from ngxlab.analysis.series.downsampling import downsample
from ngxlab.analysis.series.schemas import DerivedSeries
from ngxlab.metrics.blocks.readings import Readings, decode, encode

_LENGTH = struct.Struct("<I")


def packed(series: Sequence[DerivedSeries]) -> bytes:
    blocks = [encode(_readings(one)) for one in series]
    facts = [[one.key, one.label, one.unit, len(block)] for one, block in zip(series, blocks, strict=True)]
    about = json.dumps(facts).encode()
    return b"".join([_LENGTH.pack(len(about)), about, *blocks])


def cut(content: bytes, keys: Collection[str] | None, within: Within, points: int) -> list[DerivedSeries]:
    """The part ``within`` of the lines of ``keys``, each of at most so many points. Lines without any are left out."""
    at = _LENGTH.size + _LENGTH.unpack_from(content)[0]
    found = []
    for key, label, unit, size in json.loads(content[_LENGTH.size : at]):
        if keys is None or key in keys:
            line = _part(decode(content[at : at + size]), within)
            if line:
                found.append(DerivedSeries(key=key, label=label, unit=unit, points=downsample(line, points)))
        at += size
    return found


def _readings(series: DerivedSeries) -> Readings:
    """As a layout of one column."""
    times, values = zip(*series.points, strict=True)
    t_us = np.rint(np.array(times) * 1e6).astype(np.int64)
    numbers = np.array(values, np.float64).reshape(-1, 1)  # None becomes NaN
    nothing = np.zeros(t_us.size, np.int64)
    return Readings(t_us, nothing, nothing, numbers, np.isnan(numbers))


def _part(line: Readings, within: Within) -> list[tuple[float, float | None]]:
    t_s = line.t_us / 1e6
    inside = (t_s >= within[0]) & (t_s <= within[1])
    values = line.values[inside, 0].tolist()
    return [(t, None if value != value else value) for t, value in zip(t_s[inside].tolist(), values, strict=True)]  # noqa: PLR0124
