"""Is a comparison precise enough to stop measuring?"""

from ngxlab.analysis.schemas import ArmMetric, RunAnalysis


def precise_enough(analysis: RunAnalysis, metric: str, half_width_percent: float) -> tuple[bool, float | None]:
    """Whether every arm's 95 % interval of the ratio is within ± ``half_width_percent`` of its estimate.

    Also the widest half width found, in percent; ``None`` where an interval is not known, which is not precise.
    """
    compared = [own for arm in analysis.arms if not arm.is_baseline for own in arm.metrics if own.metric == metric]
    widths = [_half_width_percent(own) for own in compared]
    known = [width for width in widths if width is not None]
    if not widths or len(known) < len(widths):
        return False, None
    return max(known) <= half_width_percent, max(known)


def _half_width_percent(own: ArmMetric) -> float | None:
    comparison = own.comparison
    if comparison is None or comparison.ci_low is None or comparison.ci_high is None or comparison.scale != "ratio":
        return None
    return 100 * (comparison.ci_high - comparison.ci_low) / 2 / comparison.estimate
