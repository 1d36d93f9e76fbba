"""What is known of a host's noise before the verdict, and the sentence that says so beside the margin."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ngxlab_contracts.sentences import Sentence, fixed, listed, say

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import CalibrationUse, LearnedScatter, MetricNoise
from ngxlab.analysis.verdict.noise import half_widths


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
