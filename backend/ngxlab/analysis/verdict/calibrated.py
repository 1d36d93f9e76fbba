"""What is known of a host's noise before the verdict, and the sentence that says which margins follow."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ngxlab_contracts.sentences import Sentence, fixed, listed, say

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import CalibrationUse, MetricNoise
from ngxlab.analysis.verdict.margins import Margins
from ngxlab.analysis.verdict.noise import half_widths


class Calibrated(NamedTuple):
    """``use``: the calibration in force. ``stale``: why an earlier one is not.

    ``identical``: the largest group of arms whose rendered configuration and load are the same, if there is one.
    """

    use: CalibrationUse | None = None
    stale: str | None = None
    identical: Sequence[str] = ()

    def noise(self, own: Sequence[MetricNoise]) -> Mapping[str, float]:
        """The wider half width of the calibration and of the run's ``own`` identical arms, by metric."""
        used, within = half_widths(self.use.noise if self.use else []), half_widths(own)
        return {name: max(used.get(name, 0.0), within.get(name, 0.0)) for name in {**used, **within}}


UNCALIBRATED = Calibrated()


def margin_note(margins: Margins, metrics: Sequence[Metric], calibrated: Calibrated) -> Sentence:
    """Which margins hold, and why."""
    default = say("The margin is {percent}", percent=_percent(margins.default))
    wider = [
        say("{percent} for {phrase}", percent=_percent(margins.of(metric)), phrase=fixed(metric.phrase))
        for metric in metrics
        if metric.info.scale == "ratio" and margins.of(metric) > margins.default
    ]
    source = _source(calibrated, known=bool(margins.noise))
    if not margins.noise:
        return say("{default}: {source}.", default=default, source=source)
    if not wider:
        return say("{default}, and {source} shows no wider noise.", default=default, source=source)
    return say(
        "{default}; as {source} shows, {wider}.",
        default=default,
        source=source,
        wider=listed([*([listed(wider[:-1])] if wider[1:] else []), wider[-1]], " and "),
    )


def _source(calibrated: Calibrated, *, known: bool) -> Sentence:
    if (use := calibrated.use) is not None:
        return say(
            "the A/A calibration of {date} on {hosts}",
            date=format(use.taken_at, "%Y-%m-%d"),
            hosts=listed(use.hosts),
        )
    if calibrated.stale is not None and not known:
        return say("the A/A calibration is stale, since {stale}", stale=calibrated.stale)
    return say("the comparison of this run's identical arms" if known else "the host is not calibrated")


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"
