"""Was the request rate steady over the window (docs/method-details.md, Steady state)?"""

import math
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.sentences import say
from numpy.typing import NDArray

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, trial_check, unavailable
from ngxlab.analysis.checks.perturbations import is_perturbed
from ngxlab.analysis.records.trial_record import window_rates

_MIN_READINGS = 8
_MAX_BATCHES = 30
_MAX_CHANGE = 0.05
_MIN_STATISTIC = 3.0
_LOOK_AT_ERRORS = "look at the errors and at nginx's log"
_LOOK_AT_CHART = "look at the chart: the perturbations may be the reason"
_LONGER_WARMUP = "lengthen the warm-up"


class Change(NamedTuple):
    """The trend or step that describes a series best. ``size``: from the first to the last value.
    ``statistic``: its size in standard errors, which allow for successive values that are alike."""

    size: float
    statistic: float
    is_step: bool


def _steady(context: TrialContext) -> Finding:
    """Looks for a trend over the window, or a step within it."""
    if context.host.window is None:
        return unavailable("the trial has no measured window")
    rates = window_rates(context.record)
    if not rates.size and context.steered:
        return passed("does not apply: the load tries rate after rate")
    if not rates.size and any(stream.replays for stream in context.all_streams):
        return passed("does not apply: the rate moves as in the log that is replayed")
    if rates.size < _MIN_READINGS:
        return unavailable(
            "{size} histogram intervals of streams that last the window: {min_readings} are needed",
            size=rates.size,
            min_readings=_MIN_READINGS,
        )
    batches = _batches(rates)
    if any(third.mean() <= 0 for third in np.array_split(batches, 3)):
        return Finding("warning", say("no response in a third of the window"), _LOOK_AT_ERRORS)
    change = best_change(batches / batches.mean())
    percent = f"{100 * change.size:+.1f} %".replace("-", "−")
    seen = say(
        "the best description of a change in requests/s is a step of {percent}"
        if change.is_step
        else "the best description of a change in requests/s is a trend of {percent}",
        percent=percent,
    )
    if abs(change.size) <= _MAX_CHANGE or change.statistic <= _MIN_STATISTIC:
        return passed("{seen}, which is small or within the noise", seen=seen)
    if is_perturbed(context):
        return Finding("info", say("{seen}, and the trial was perturbed", seen=seen), _LOOK_AT_CHART)
    return Finding(
        "warning",
        say("{seen} ({statistic:.1f} standard errors)", seen=seen, statistic=change.statistic),
        _LONGER_WARMUP,
    )


def best_change(values: NDArray[np.float64]) -> Change:
    """The linear trend, or the step in the middle three fifths, that leaves the least variance of ``values``.

    The standard error is widened for residuals that are correlated from one to the next (AR(1)), whose correlation is
    underestimated by about 1/n. The best of many candidates is chosen, which the threshold of three allows for: with
    correlation 0.8 and noise of 2 %, 4 % of windows without a change are flagged, and a change of 10 % is found in 85
    to 100 % (``backend/tests/analysis/checks/test_steady.py``).
    """
    shapes = _shapes(values.size)
    centred = values - values.mean()
    weights = shapes @ centred / (shapes**2).sum(axis=1)
    explained = weights**2 * (shapes**2).sum(axis=1)
    best = int(np.argmax(explained))
    residuals = centred - weights[best] * shapes[best]
    left = float(residuals @ residuals)
    if left <= 1e-12 * float(centred @ centred) or left == 0:
        return Change(float(weights[best]), math.inf if explained[best] > 0 else 0.0, best > 0)
    statistic = math.sqrt(explained[best] / (left / (values.size - 2)))
    alike = float(residuals[1:] @ residuals[:-1]) / left + 1 / values.size
    alike = min(max(alike, 0.0), 0.95)
    return Change(float(weights[best]), statistic * math.sqrt((1 - alike) / (1 + alike)), best > 0)


def _shapes(size: int) -> NDArray[np.float64]:
    """The candidates, one a row, without their means: first the trend, then the steps. Each rises by 1."""
    margin = max(2, round(size / 5))
    steps = np.arange(size) >= np.arange(margin, size - margin + 1)[:, None]
    shapes = np.vstack([np.linspace(0, 1, size), steps])
    centred: NDArray[np.float64] = shapes - shapes.mean(axis=1, keepdims=True)
    return centred


def _batches(rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means of as many successive rates as leave at most ``_MAX_BATCHES``; the last ones are left out if they do not
    fill a batch."""
    per_batch = math.ceil(rates.size / _MAX_BATCHES)
    batches: NDArray[np.float64] = rates[: rates.size // per_batch * per_batch].reshape(-1, per_batch).mean(axis=1)
    return batches


STEADY = trial_check(
    "steady",
    _steady,
    _LOOK_AT_ERRORS,
    _LOOK_AT_CHART,
    _LONGER_WARMUP,
    max_change_percent=100 * _MAX_CHANGE,
    min_statistic=_MIN_STATISTIC,
    min_readings=_MIN_READINGS,
    max_batches=_MAX_BATCHES,
)
