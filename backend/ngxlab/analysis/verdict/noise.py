"""How much values scatter where nothing differs: identical arms, and all arms after their own means are taken out."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from ngxlab_verdict.comparisons import compare
from ngxlab_verdict.usable import Usable, usable

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import CheckSummary, MetricNoise
from ngxlab.analysis.verdict.claims import values_of
from ngxlab.analysis.verdict.usable_trials import TrialsByBlock
from ngxlab.analysis.verdict.variance_split import block_deviation, within_share, within_variance
from ngxlab.analysis.verdict.voided import why_void

_LEVEL = 0.05
MIN_BLOCKS = 2


def noise_of(metrics: Sequence[Metric], arms: Sequence[TrialsByBlock], checks: CheckSummary) -> list[MetricNoise]:
    """The noise of each metric that all of two arms or more have in two blocks or more, and that no check voids."""
    measured = values_of(metrics, arms)
    trials = [trial for of_arm in arms for trial in of_arm.values()]
    noise = (
        _of_metric(metric, of_metric, checks, within_variance(metric, trials))
        for metric, of_metric in zip(metrics, measured, strict=True)
    )
    return [one for one in noise if one is not None]


def half_widths(noise: Sequence[MetricNoise]) -> Mapping[str, float]:
    """By the metric's name."""
    return {one.metric: one.half_width for one in noise}


def _of_metric(metric: Metric, measured: np.ndarray, checks: CheckSummary, within: float | None) -> MetricNoise | None:
    """``within``: the mean variance within a trial."""
    if measured.shape[-1] < MIN_BLOCKS or why_void(checks, metric.info.group) is not None:
        return None
    cells: Usable = usable(measured, metric.info.scale)
    if cells.reasons or cells.coarse:
        return None
    pairs = [int(count) for count in (cells.present & cells.present[0]).sum(axis=1)]
    compared = compare(cells.values, cells.present)
    lows, highs = compared.plain(_LEVEL)
    half, deviation = float((highs - lows).max()) / 2, compared.deviation
    return MetricNoise(
        metric=metric.name,
        title=metric.info.title,
        unit=metric.info.unit,
        scale=metric.info.scale,
        deviation=deviation,
        degrees=float(compared.freedom),
        half_width=math.expm1(min(half, _LARGEST)) if metric.info.scale == "ratio" else half,
        blocks=min(pairs[1:]),
        within_share=within_share(within, deviation),
        block_deviation=block_deviation(cells.values, cells.present, deviation),
        differ=bool(((lows > 0) | (highs < 0)).any()),
    )


_LARGEST = math.log(1000)
"""A wider interval of a ratio is as good as none."""
