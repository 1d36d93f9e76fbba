"""Which arms of a metric can be compared, on the scale on which they are; and why the others cannot."""

from typing import NamedTuple

import numpy as np

from ngxlab_verdict.coarse import is_coarse
from ngxlab_verdict.design import Flags, Floats
from ngxlab_verdict.words import Reason, Scale, which

_NO_SCATTER = 1e-12


class Usable(NamedTuple):
    """``values`` and ``present`` are those of the baseline and of ``arms``.

    ``coarse``: the arms to be compared by ranks. ``reasons`` has all other arms.
    """

    arms: list[int]
    values: Floats
    present: Flags
    coarse: list[int]
    reasons: dict[int, str]


def usable(measured: Floats, scale: Scale) -> Usable:
    """``measured[arm, block]``, NaN where there is no value, the baseline first."""
    present = ~np.isnan(measured)
    values = np.where(present, measured, 1.0)
    positive: Flags = np.all((values > 0) | (scale != "ratio"), axis=1)
    if scale == "ratio":
        values = np.log(np.where(values > 0, values, 1.0))
    both = present & present[0]
    pairs = [int(count) for count in both.sum(axis=1)]
    flat = _flat(values, both)
    reasons = {
        arm: reason
        for arm in range(1, len(measured))
        if (reason := _reason(present[[0, arm]], positive[[0, arm]], pairs[arm]))
    }
    able = [arm for arm in range(1, len(measured)) if arm not in reasons]
    coarse = [arm for arm in able if flat[arm] or is_coarse(measured[arm][both[arm]], measured[0][both[arm]])]
    arms = [arm for arm in able if arm not in coarse]
    kept = [0, *arms]
    blocks = present[kept].sum(axis=0) > 1
    return Usable(arms, values[kept][:, blocks], present[kept][:, blocks], coarse, reasons)


def _flat(values: Floats, both: Flags) -> Flags:
    """Whether all pairs of an arm differ from the baseline by the same amount."""
    differences = values - values[0]
    highest = np.where(both, differences, -np.inf).max(axis=1, initial=-np.inf)
    lowest = np.where(both, differences, np.inf).min(axis=1, initial=np.inf)
    size = np.maximum(1.0, np.abs(values).max(initial=0.0))
    return np.asarray(highest - lowest <= _NO_SCATTER * size, np.bool_)


def _reason(present: Flags, positive: Flags, pairs: int) -> str | None:
    """``present`` and ``positive`` of the baseline and of the arm."""
    if not present.any(axis=1).all():
        return Reason("{which} has no value", which=which(own=bool(present[0].any())))
    if not positive.all():
        return Reason("{which} is not positive in at least one block: no ratio", which=which(own=bool(positive[0])))
    if pairs < 2:
        return "a single pair has no interval" if pairs else "no block has both arms"
    return None
