"""As many points of a line as a chart shows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tsdownsample import MinMaxLTTBDownsampler

Drawn = list[tuple[float, float | None]]
"""Time and value; ``None`` for a gap."""


class Points(NamedTuple):
    """Times and values of a line; NaN for a gap."""

    t_s: NDArray[np.float64]
    values: NDArray[np.float64]


def downsample(points: Drawn, max_points: int) -> Drawn:
    """As :func:`drawn`."""
    if len(points) <= max_points:
        return points
    t_s, values = np.array(points, np.float64).T  # None becomes NaN
    return drawn(Points(t_s, values), max_points)


def drawn(points: Points, max_points: int) -> Drawn:
    """At most ``max_points`` points with a value, chosen by MinMaxLTTB, which keeps peaks, and every gap mark."""
    t_s, values = points
    is_gap = np.isnan(values)
    if values.size - int(is_gap.sum()) > max_points:
        valid_s, valid = np.ascontiguousarray(t_s[~is_gap]), np.ascontiguousarray(values[~is_gap])
        sampler = MinMaxLTTBDownsampler()  # type: ignore[no-untyped-call]  # marked py.typed, but its __init__ is not
        kept = sampler.downsample(valid_s, valid, n_out=max_points)
        t_s, values = np.concatenate([valid_s[kept], t_s[is_gap]]), np.concatenate([valid[kept], values[is_gap]])
        order = np.argsort(t_s, kind="stable")
        t_s, values = t_s[order], values[order]
    numbers: list[float | None] = values.tolist()
    for position in np.flatnonzero(np.isnan(values)).tolist():
        numbers[position] = None
    return list(zip(t_s.tolist(), numbers, strict=True))
