"""What is known of a host's noise before the verdict, and the sentence that says which margins follow."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

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


def margin_note(margins: Margins, metrics: Sequence[Metric], calibrated: Calibrated) -> str:
    """Which margins hold, and why."""
    default = f"The margin is {_percent(margins.default)}"
    wider = [
        f"{_percent(margins.of(metric))} for {metric.phrase}"
        for metric in metrics
        if metric.info.scale == "ratio" and margins.of(metric) > margins.default
    ]
    source = _source(calibrated, known=bool(margins.noise))
    if not margins.noise:
        return f"{default}: {source}."
    if not wider:
        return f"{default}, and {source} shows no wider noise."
    return f"{default}; as {source} shows, {' and '.join(filter(None, [', '.join(wider[:-1]), wider[-1]]))}."


def _source(calibrated: Calibrated, *, known: bool) -> str:
    if (use := calibrated.use) is not None:
        return f"the A/A calibration of {use.taken_at:%Y-%m-%d} on {', '.join(use.hosts)}"
    if calibrated.stale is not None and not known:
        return f"the A/A calibration is stale, since {calibrated.stale}"
    return "the comparison of this run's identical arms" if known else "the host is not calibrated"


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"
