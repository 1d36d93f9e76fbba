"""What a plan can find, in sentences."""

from collections.abc import Sequence
from datetime import datetime

from ngxlab.analysis.schemas import MetricNoise
from ngxlab.runs.power.schemas import MetricPower


def found(noise: MetricNoise, phrase: str, blocks: int, hosts: Sequence[str], effect: float | None) -> str:
    """``hosts``: names. ``effect``: 0.07 is 7 % of a ratio."""
    on = ", ".join(hosts)
    if blocks < 2:
        return f"1 block on {on} finds nothing in {phrase}: one pair has no interval."
    if effect is None:
        return f"{blocks} blocks on {on} find no change in {phrase}: too much noise."
    return f"{blocks} blocks on {on} find a change of {size(noise, effect)} in {phrase} with 80 % power."


def recommended(phrase: str, percent: float, margin: float, blocks: int | None) -> str:
    if blocks is not None:
        return f"To find {percent:g} % in {phrase}: {blocks} blocks."
    if percent <= 100 * margin:
        return f"{percent:g} % in {phrase} is within the margin of {_percent(margin)}: no number of blocks finds it."
    return f"To find {percent:g} % in {phrase}: more than 1,000 blocks."


def size(noise: MetricNoise, effect: float) -> str:
    if noise.scale == "ratio":
        return _percent(effect)
    return f"{f'{effect:,.0f}' if effect >= 100 else f'{effect:.3g}'} {noise.unit}".rstrip()


def known(metrics: Sequence[MetricPower], source: str, at: datetime) -> str:
    by = "the A/A calibration" if source == "calibration" else "an earlier run"
    return f"{' '.join(metric.text for metric in metrics)} By {by} of {at:%Y-%m-%d}."


def unknown(why: str) -> str:
    return f"What this plan can find is unknown: {why}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0") + " %" if share < 0.1 else f"{100 * share:,.0f} %"
