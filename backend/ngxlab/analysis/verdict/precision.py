"""Is a comparison precise enough to stop (docs/method.md, Stop rule)?"""

from ngxlab.analysis.schemas import ArmMetric, RunAnalysis

MIN_PAIRS = 5
"""Stopping at fewer pairs selects those that happen to lie close together: 92 % of such intervals hold the truth."""


def precise_enough(analysis: RunAnalysis, metric: str, half_width_percent: float) -> tuple[bool, float | None]:
    """Whether the half width of every arm's 95 % interval is at most ``half_width_percent`` of its estimate.

    Returns the widest half width too, in percent; ``None`` if an arm has no interval, which counts as not precise,
    and so does one of fewer than ``MIN_PAIRS`` pairs.
    """
    compared = [own for arm in analysis.arms if not arm.is_baseline for own in arm.metrics if own.metric == metric]
    widths = [_half_width_percent(own) for own in compared]
    measured = [width for width in widths if width is not None]
    if not widths or len(measured) < len(widths):
        return False, None
    enough = all(own.comparison is not None and own.comparison.pairs >= MIN_PAIRS for own in compared)
    return enough and max(measured) <= half_width_percent, max(measured)


def _half_width_percent(own: ArmMetric) -> float | None:
    comparison = own.comparison
    if comparison is None or comparison.ci_low is None or comparison.ci_high is None or comparison.scale != "ratio":
        return None
    return 100 * (comparison.ci_high - comparison.ci_low) / 2 / comparison.estimate
