"""Claims that may be read after every block, and not only at the planned end.

A group-sequential procedure with a constant nominal error: every look judges as if it were the only one, but with an
error so much smaller that the chance that *any* look errs is the error wanted. Between ``FIRST_LOOK`` and the last
possible block nothing depends on when, or why, the run is stopped.

Source: S. J. Pocock, Group sequential methods in the design and analysis of clinical trials, Biometrika 64, 1977;
C. Jennison, B. W. Turnbull, Exact calculations for sequential t, chi-square and F tests, Biometrika 78, 1991. The small
error of looks at a run whose planned end keeps its own: J. L. Haybittle, Repeated assessment of results in clinical
trials of cancer treatment, British Journal of Radiology 44, 1971. Claims of earlier looks that stand: C. Jennison,
B. W. Turnbull, Interim analyses: the repeated confidence interval approach, Journal of the Royal Statistical Society B
51, 1989.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from ngxlab_verdict.families import ERROR

FIRST_LOOK = 5
"""Fewer pairs may lie close together by chance: no claim is made of them before the planned end."""
EARLY_ERROR = 0.005
"""The error of all looks at a run with a fixed number of blocks. Its verdict at the planned end has the rest of 5 %."""
ADDED_ERROR = 0.0025
"""The error of all looks at blocks that are added to a run beyond its plan, however often."""
_OF_WHAT_IS_LEFT = 0.75
"""The part of that error that an addition takes of what the additions before it have left."""
_FEWEST_NEW = 0.25
"""Fewer new pairs, as a share of all, earn no greater error."""
_SEVERAL_ARMS = 1.05
"""The table is of one arm beside the baseline. Looks at several arms cross a little more often."""


def spent_before(planned: int) -> float:
    """The error that looks before the end of ``planned`` blocks use: none are made of too few."""
    return EARLY_ERROR if planned > FIRST_LOOK else 0.0


def spent_at_end(planned: int) -> float:
    """The error that is not left for the verdict at the planned end, for looks before it and blocks added after it.

    Looks before the end share most of what they find with it: of their ``EARLY_ERROR`` so much is never used that it
    pays for the additions too.
    """
    return max(spent_before(planned), ADDED_ERROR)


def added_error(addition: int, before: int, total: int) -> float:
    """The error of the verdict on ``total`` blocks, of which the first ``before`` were judged: the n-th addition.

    Each addition takes three quarters of what is left of ``ADDED_ERROR``. What the look adds to the chance of a false
    claim is about its own error times the share of pairs that are new, since the others were looked at already. So the
    error is divided by that share.
    """
    own = ADDED_ERROR * _OF_WHAT_IS_LEFT * (1 - _OF_WHAT_IS_LEFT) ** (addition - 1)
    return own / max((total - before) / total, _FEWEST_NEW)


@dataclass(frozen=True)
class Looks:
    """A look after every block from ``FIRST_LOOK`` to ``last``. All of them together err with probability ``error``."""

    last: int
    error: float = ERROR

    def wanted(self, error: float) -> float:
        """The error of all looks together, for claims that may use ``error`` if there is one look only."""
        return error * (self.error / ERROR)

    def nominal(self, error: float) -> float:
        """The error at each look, for claims that may use ``error`` if there is one look only."""
        count, wanted = self.last - FIRST_LOOK + 1, self.wanted(error)
        return wanted if count <= 1 else wanted / (_SEVERAL_ARMS * _factor(count, wanted))


@dataclass(frozen=True)
class Stage:
    """An earlier look at the first ``blocks`` blocks, whose claims stand. ``looks`` and ``spent``: as of a question."""

    blocks: int
    looks: Looks | None = None
    spent: float = 0.0


@dataclass(frozen=True)
class Course:
    """When a run is looked at. ``planned``: the most blocks of its plan. ``stops``: a rule may end it before.

    ``added``: to how many blocks it was continued beyond its plan, in the order of time, whether or not that was
    reached. ``cut_short``: its last planned block was skipped in part, so that whoever did it has ended it.
    """

    planned: int
    stops: bool = False
    added: tuple[int, ...] = ()
    cut_short: bool = False

    def stages(self, complete: int) -> tuple[Stage, ...]:
        """The looks whose claims count once ``complete`` blocks are complete, the latest last."""
        looks = self._before_the_end
        if looks is not None or complete < self.planned:
            reached = [Stage(min(complete, self.planned), looks or Looks(self.planned - 1, EARLY_ERROR))]
        else:
            reached = [Stage(self.planned, None, spent_at_end(self.planned))]
        for place, total in enumerate(self.added, start=1):
            was_given_up = any(later < total for later in self.added[place:])
            if not was_given_up and self.planned <= reached[-1].blocks < total <= complete:
                reached.append(Stage(total, None, ERROR - added_error(place, reached[-1].blocks, total)))
        return tuple(reached)

    def error(self, seen: int, total: int) -> float:
        """That of a look at ``total`` blocks, where the latest was one at ``seen``; more than planned are added."""
        if total <= self.planned:
            return replace(self, added=()).error_now(total)
        return added_error(len(self.added) + 1, max(seen, self.planned), total)

    def error_now(self, seen: int) -> float:
        """That of the latest look, at ``seen`` blocks."""
        stage = self.stages(seen)[-1]
        return ERROR - stage.spent if stage.looks is None else stage.looks.nominal(ERROR)

    @property
    def _before_the_end(self) -> Looks | None:
        """Those of a run that need not have ended as planned, also at its end."""
        if self.stops and self.planned > FIRST_LOOK:
            return Looks(self.planned, ERROR - ADDED_ERROR)
        return Looks(self.planned - 1, EARLY_ERROR) if self.cut_short else None


def _factor(count: int, error: float) -> float:
    """The factor by which the error of each of ``count`` looks is smaller; at most ``count``, as Bonferroni has it."""
    by_error = [np.interp(math.log(count), np.log(COUNTS), np.log(column)) for column in zip(*FACTORS, strict=True)]
    logs = np.log(ERRORS)
    wanted = math.log(error)
    slope = (by_error[-1] - by_error[-2]) / (logs[-1] - logs[-2])
    beyond = min(0.0, wanted - float(logs[-1])) * slope
    found = float(np.interp(-wanted, -logs, by_error)) + beyond
    return min(math.exp(found), float(count))


COUNTS = (1, 2, 3, 4, 5, 6, 8, 11, 16, 26, 46, 96)
"""Numbers of looks: at 5 pairs, at 6 pairs and so on."""
ERRORS = (0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002)
"""Errors of all looks together."""
FACTORS: tuple[tuple[float, ...], ...] = (
    (1.000, 1.000, 1.000, 1.000, 1.000, 1.000, 1.000, 1.000),
    (1.460, 1.536, 1.590, 1.612, 1.657, 1.696, 1.730, 1.766),
    (1.863, 2.004, 2.105, 2.165, 2.275, 2.317, 2.343, 2.387),
    (2.223, 2.439, 2.591, 2.706, 2.840, 2.888, 2.888, 2.990),
    (2.553, 2.839, 3.024, 3.192, 3.367, 3.460, 3.528, 3.555),
    (2.860, 3.206, 3.417, 3.642, 3.867, 3.973, 4.024, 4.284),
    (3.407, 3.853, 4.141, 4.459, 4.754, 4.930, 4.939, 5.305),
    (4.111, 4.693, 5.082, 5.457, 5.906, 6.026, 6.165, 6.500),
    (5.067, 5.820, 6.342, 6.835, 7.471, 7.788, 8.213, 8.821),
    (6.503, 7.506, 8.237, 8.979, 9.812, 10.170, 10.881, 11.553),
    (8.446, 9.827, 10.780, 11.830, 12.959, 13.979, 14.730, 15.770),
    (11.296, 13.217, 14.518, 15.902, 17.683, 18.924, 19.550, 21.507),
)
"""Factors by count of looks, then by error."""
