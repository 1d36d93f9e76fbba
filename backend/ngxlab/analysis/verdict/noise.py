"""How much values scatter where nothing differs: identical arms, and all arms after their own means are taken out."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.sentences import Sentence, fixed, listed, say
from ngxlab_verdict.comparisons import compare
from ngxlab_verdict.design import Flags, Floats
from ngxlab_verdict.usable import Usable, usable

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import CalibrationUse, CheckSummary, LearnedScatter, MetricNoise, PlanFacts, TrialSummary
from ngxlab.analysis.verdict.claims import TrialsByBlock, values_of
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


_FEWEST_DEGREES = 4.0
"""With fewer the scatter itself is hardly known."""
_SMALL = 0.2
_ABOUT_HALF = 0.525
_SHOWN = 0.005
_WORTH = 0.95
"""Longer trials are advised where they save at least 5 % of the time."""


class TrialLength(NamedTuple):
    """``other_s``: what a trial takes beside its window."""

    measure_s: float
    other_s: float

    @classmethod
    def of(cls, plan: PlanFacts) -> "TrialLength":
        return cls(plan.measure_s, plan.warmup_s + plan.cooldown_s)

    @property
    def twice_as_long(self) -> float:
        """How many times as long the trial takes whose window is twice as long."""
        return (2 * self.measure_s + self.other_s) / (self.measure_s + self.other_s)


def within_variance(metric: Metric, trials: Sequence[TrialSummary]) -> float | None:
    """The mean over ``trials``; ``None`` unless all have it, and for single streams and differences."""
    if metric.stream is not None or metric.info.scale != "ratio" or not trials:
        return None
    known = [trial.within_variance.get(metric.name) for trial in trials]
    return float(np.mean([one for one in known if one is not None])) if None not in known else None


def within_share(within: float | None, deviation: float) -> float | None:
    """``within``: variance. ``deviation``: of trials within a block, which has it too."""
    return min(1.0, within / deviation**2) if within is not None and deviation > 0 else None


def block_deviation(values: Floats, present: Flags, deviation: float) -> float | None:
    """How much the trials of a block vary together, from complete blocks, of which two are needed.

    ``values[arm, block]``.
    """
    complete = values[:, present.all(axis=0)]
    if complete.shape[1] < 2:
        return None
    shared = float(complete.mean(axis=0).var(ddof=1)) - deviation**2 / len(complete)
    return float(np.sqrt(max(shared, 0.0)))


def more_or_longer(noise: MetricNoise, phrase: str, length: TrialLength) -> Sentence | None:
    """A sentence; ``None`` where the split is not known well enough."""
    if noise.within_share is None or noise.degrees < _FEWEST_DEGREES:
        return None
    share = noise.within_share
    blocks = 1 - share / 2
    source = say(
        "{about} of the scatter of {metric} comes from within trials", about=_about(share), metric=fixed(phrase)
    )
    as_many = say("about half as many" if blocks < _ABOUT_HALF else "{about} of the", about=_about(blocks))
    if blocks * length.twice_as_long <= _WORTH:
        return say(
            "Longer trials would help: {source}; twice as long ones would need {as_many} blocks.",
            source=source,
            as_many=as_many,
        )
    if share < _SMALL:
        return say("Longer trials would not help: {source}; add blocks.", source=source)
    return say(
        "Rather add blocks: {source}; twice as long trials would need {as_many} blocks and take more time in all.",
        source=source,
        as_many=as_many,
    )


def _about(share: float) -> Sentence:
    return say("about {share:.0f} %" if share >= _SHOWN else "less than 1 %", share=100 * share)


class Calibrated(NamedTuple):
    """``use``: the calibration in force. ``stale``: why an earlier one is not.

    ``identical``: the largest group of arms whose rendered configuration and load are the same, if there is one.
    ``learned``: what earlier runs had shown of the scatter when the run was created.
    """

    use: CalibrationUse | None = None
    stale: str | None = None
    identical: Sequence[str] = ()
    learned: Sequence[LearnedScatter] = ()

    def noise(self, own: Sequence[MetricNoise]) -> Mapping[str, float]:
        """The wider half width of the calibration and of the run's ``own`` identical arms, by metric."""
        used, within = half_widths(self.use.noise if self.use else []), half_widths(own)
        return {name: max(used.get(name, 0.0), within.get(name, 0.0)) for name in {**used, **within}}


UNCALIBRATED = Calibrated()


def margin_note(
    margin: float, metrics: Sequence[Metric], noise: Mapping[str, float], calibrated: Calibrated
) -> Sentence:
    """Which difference matters, and how far identical arms lay apart. ``noise``: half widths by metric."""
    said = say("The margin is {percent:g} %.", percent=100 * margin)
    widths = [
        say("{phrase} within ±{percent}", phrase=fixed(metric.phrase), percent=_percent(noise[metric.name]))
        for metric in metrics
        if metric.info.scale == "ratio" and metric.name in noise
    ]
    if widths:
        several = listed([*([listed(widths[:-1])] if widths[1:] else []), widths[-1]], " and ")
        template = "{margin} Identical arms differ by chance: {widths} ({source})."
        return say(template, margin=said, widths=several, source=_source(calibrated))
    if calibrated.stale is not None:
        template = "{margin} The A/A calibration is stale, since {stale}."
        return say(template, margin=said, stale=calibrated.stale)
    if calibrated.use is not None:
        return said
    return say("{margin} The host is not calibrated.", margin=said)


def learned_note(metrics: Sequence[Metric], learned: Mapping[str, LearnedScatter]) -> Sentence | None:
    """That the intervals of these metrics rest on earlier runs, too; ``None`` where none does."""
    used = [(fixed(metric.phrase), learned[metric.name].runs) for metric in metrics if metric.name in learned]
    if not used:
        return None
    phrases, runs = listed([phrase for phrase, _ in used], ", "), max(count for _, count in used)
    if runs == 1:
        return say("So few blocks hardly show the scatter of {phrases}: an earlier run counts, too.", phrases=phrases)
    template = "So few blocks hardly show the scatter of {phrases}: {runs} earlier runs count, too."
    return say(template, phrases=phrases, runs=runs)


def _source(calibrated: Calibrated) -> Sentence:
    if (use := calibrated.use) is None:
        return say("this run's identical arms")
    return say(
        "the A/A calibration of {date} on {hosts}", date=format(use.taken_at, "%Y-%m-%d"), hosts=listed(use.hosts)
    )


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"
