"""The input of the procedure: measured values, and what is asked of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ngxlab_verdict.families import ERROR
from ngxlab_verdict.learned import Scatter
from ngxlab_verdict.sequential import Looks, Stage
from ngxlab_verdict.words import Direction, Family, Scale

DEFAULT_MARGIN = 0.02


@dataclass(frozen=True)
class MetricRule:
    """The rule by which a metric is compared.

    ``margin``: on the ratio scale 0.02 is 2 %, and ``None`` takes the question's; on the difference scale it is in the
    metric's unit. ``lowest`` and ``highest``: values that no trial can pass, such as 0 and 100 of a percentage.
    ``learned``: the scatter that earlier experiments of the same load on the same hosts have shown.
    """

    direction: Direction = "more_is_better"
    scale: Scale = "ratio"
    margin: float | None = None
    lowest: float = -math.inf
    highest: float = math.inf
    learned: Scatter | None = None


@dataclass(frozen=True)
class Experiment:
    """``values[metric, arm, block]``; NaN where a block has no value. The first arm is the baseline."""

    arms: Sequence[str]
    metrics: Sequence[str]
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Question:
    """``primary``: the metrics about which claims are made, the most important first.

    ``None`` declares no order: then all metrics are one family, and each gets an equal share of its error. ``looks``:
    when the claims may be read, if not only at the planned end. ``spent``: the part of the family's error that looks
    before the planned end have used. ``earlier``: looks at the first blocks, the first of them first, whose claims
    stand; with another ``looks`` than theirs, the experiment is one to which blocks were added.
    """

    primary: Sequence[str] | None = None
    rules: Mapping[str, MetricRule] = field(default_factory=dict)
    margin: float = DEFAULT_MARGIN
    looks: Looks | None = None
    spent: float = 0.0
    earlier: Sequence[Stage] = ()

    def level(self, error: float) -> float:
        """The error of which intervals are made, where claims may use ``error``."""
        return error if self.looks is None else self.looks.nominal(error)

    def named(self, family: Family, error: float) -> float:
        """The error that intervals name, where claims may use ``error`` at this look: that of all looks together."""
        if self.looks is not None:
            return self.looks.wanted(error)
        return error * ERROR / (ERROR - self.spent) if family == "primary" and self.earlier else error
