"""Is a comparison precise enough to stop (docs/method.md, Stop rule)?"""

from ngxlab.analysis.schemas import ArmMetric, RunAnalysis


def precise_enough(analysis: RunAnalysis, metric: str, half_width_percent: float) -> tuple[bool, float | None]:
    """Whether the half width of every arm's 95 % interval is at most ``half_width_percent`` of its estimate.

    Returns the widest half width too, in percent; ``None`` if an arm has no interval, which counts as not precise.
    """
    compared = [own for arm in analysis.arms if not arm.is_baseline for own in arm.metrics if own.metric == metric]
    widths = [_half_width_percent(own) for own in compared]
    measured = [width for width in widths if width is not None]
    if not widths or len(measured) < len(widths):
        return False, None
    return max(measured) <= half_width_percent, max(measured)


def _half_width_percent(own: ArmMetric) -> float | None:
    comparison = own.comparison
    if comparison is None or comparison.ci_low is None or comparison.ci_high is None or comparison.scale != "ratio":
        return None
    return 100 * (comparison.ci_high - comparison.ci_low) / 2 / comparison.estimate
