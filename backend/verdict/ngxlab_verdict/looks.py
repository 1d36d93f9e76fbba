"""Claims that may be read after every block, and not only at the planned end.

A group-sequential procedure with a constant nominal error: every look judges as if it were the only one, but with an
error so much smaller that the chance that *any* look errs is the error wanted. Between ``FIRST_LOOK`` and the last
possible block nothing depends on when, or why, the run is stopped.

Source: S. J. Pocock, Group sequential methods in the design and analysis of clinical trials, Biometrika 64, 1977;
C. Jennison, B. W. Turnbull, Exact calculations for sequential t, chi-square and F tests, Biometrika 78, 1991. The small
error of looks at a run whose planned end keeps its own: J. L. Haybittle, Repeated assessment of results in clinical
trials of cancer treatment, British Journal of Radiology 44, 1971.
"""

import math
from dataclasses import dataclass

import numpy as np

from ngxlab_verdict.looks_table import COUNTS, ERRORS, FACTORS
from ngxlab_verdict.shares import ERROR

FIRST_LOOK = 5
"""Fewer pairs may lie close together by chance: no claim is made of them before the planned end."""
EARLY_ERROR = 0.005
"""Of all looks at a run with a fixed number of blocks. Its verdict at the planned end has the rest of 5 %."""
_SEVERAL_ARMS = 1.05
"""The table is of one arm beside the baseline. Looks at several arms cross a little more often."""


def spent_before(planned: int) -> float:
    """The error that looks before the end of ``planned`` blocks use: none are made of too few."""
    return EARLY_ERROR if planned > FIRST_LOOK else 0.0


@dataclass(frozen=True)
class Looks:
    """A look after every block from ``FIRST_LOOK`` to ``last``. All of them together err with probability ``error``."""

    last: int
    error: float = ERROR

    def nominal(self, error: float) -> float:
        """The error at each look, for claims that may use ``error`` if there is one look only."""
        count = self.last - FIRST_LOOK + 1
        wanted = error * (self.error / ERROR)
        return wanted if count <= 1 else wanted / (_SEVERAL_ARMS * _factor(count, wanted))


def _factor(count: int, error: float) -> float:
    """How many times smaller the error of each of ``count`` looks is; at most ``count``, as Bonferroni has it."""
    by_error = [np.interp(math.log(count), np.log(COUNTS), np.log(column)) for column in zip(*FACTORS, strict=True)]
    logs = np.log(ERRORS)
    wanted = math.log(error)
    slope = (by_error[-1] - by_error[-2]) / (logs[-1] - logs[-2])
    beyond = min(0.0, wanted - float(logs[-1])) * slope
    found = float(np.interp(-wanted, -logs, by_error)) + beyond
    return min(math.exp(found), float(count))
