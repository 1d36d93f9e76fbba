"""How figures and verdicts are said (DOMAIN 4.11). Nothing is claimed here that the interval does not carry."""

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import Comparison
from ngxlab.analysis.statistics.paired import MAX_MORE_BLOCKS

_TIMES_FROM = 2.0


def figures(estimate: float, low: float | None, high: float | None, *, ratio: bool) -> tuple[str, str | None]:
    """The estimate and its interval ready to print: ``9.1x`` from 2 on, else ``+12 %``.

    An interval around a multiple is in multiples throughout: ``1.4x to 4.1x``.
    """
    say = difference if not ratio else times if estimate >= _TIMES_FROM else change
    return say(estimate), f"{say(low)} to {say(high)}" if low is not None and high is not None else None


def change(ratio: float) -> str:
    return times(ratio) if ratio >= _TIMES_FROM else percent(ratio)


def times(ratio: float) -> str:
    if ratio >= 100:
        return f"{ratio:.0f}x"
    return f"{ratio:.1f}x" if ratio >= 1 else f"{ratio:.2g}x"


def percent(ratio: float) -> str:
    """``+12 %``; a decimal only below 10 %, where it matters."""
    gain = 100 * (ratio - 1)
    number = f"{gain:+.0f}" if abs(gain) >= 10 else f"{gain:+.1f}".removesuffix(".0")
    return "0 %" if number in {"+0", "-0"} else f"{number} %"


def difference(value: float) -> str:
    """``-0.12``, ``+27.9``, ``-102,887``."""
    return f"{value:+,.{_decimals(value)}f}"


def pair_count(pairs: int) -> str:
    return f"n = {pairs} pair{'s' if pairs != 1 else ''}"


def sentence(metric: Metric, arm: str, baseline: str, means: tuple[float, float], comparison: Comparison) -> str:
    """One statement about one arm and metric. ``means`` are those of the arm and the baseline."""
    if comparison.verdict == "inconclusive":
        return _inconclusive(metric, arm, comparison)
    evidence = _evidence(comparison)
    if comparison.verdict == "equivalent":
        within = f"±{_margin(metric, comparison)}"
        return f"`{arm}` and `{baseline}` are equivalent in {metric.phrase} within {within} {evidence}."
    if comparison.verdict in {"higher", "lower"}:
        return _neutral(metric, arm, baseline, means, comparison)
    if comparison.scale == "difference":
        how = "more evenly" if comparison.verdict == "better" else "less evenly"
        what = "CPU" if metric.info.key == "worker_cpu_cv" else "connections"
        shares = f"workers of `{arm}` shared {what} {how} than those of `{baseline}`"
        return f"The {shares}: CV {means[0]:.2f} against {means[1]:.2f}, {comparison.text} {evidence}."
    if metric.info.key == "requests_per_s":
        return f"`{arm}` served {_more(comparison.estimate)} {metric.phrase} than `{baseline}` {evidence}."
    return f"`{arm}`: {metric.phrase} {_moved(comparison.estimate)} against `{baseline}` {evidence}."


def no_comparison(metric: Metric, arm: str, reason: str) -> str:
    return f"No comparison of `{arm}` in {metric.phrase}: {reason}."


def qualification(*, preview_blocks: int | None, partial: str | None, validity: str) -> str:
    """How far the statements go, and how valid they are."""
    parts = []
    if preview_blocks is not None:
        parts.append(f"Preview only: {preview_blocks} complete block{'s' if preview_blocks != 1 else ''}.")
    if partial is not None:
        parts.append(partial)
    return " ".join([*parts, f"Validity: {validity}."])


def _inconclusive(metric: Metric, arm: str, comparison: Comparison) -> str:
    subject = f"No conclusion on {metric.phrase} of `{arm}`"
    if comparison.ci_text is None:
        return f"{subject}: a single pair ({comparison.text}) has no interval; two or more blocks are needed."
    resolve = _margin(metric, comparison)
    seen = f"{subject}: {comparison.ci_text} ({pair_count(comparison.pairs)})"
    if comparison.more_blocks is None:
        return f"{seen}, which lies across the margin of {resolve}."
    if comparison.more_blocks >= MAX_MORE_BLOCKS:
        return f"{seen}; {MAX_MORE_BLOCKS:,} more pairs would not resolve {resolve}: too much noise."
    pairs = "pair" if comparison.more_blocks == 1 else "pairs"
    return f"{seen}; about {comparison.more_blocks} more {pairs} needed to resolve {resolve}."


def _neutral(metric: Metric, arm: str, baseline: str, means: tuple[float, float], comparison: Comparison) -> str:
    """What rose or fell, and nothing about whether that is good."""
    said = f"`{arm}`: {metric.phrase} {comparison.verdict} than with `{baseline}`"
    if comparison.scale == "ratio":
        return f"{said}, {comparison.text} {_evidence(comparison)}."
    own, base = (f"{mean:,.{_decimals(mean)}f}" for mean in means)
    return f"{said}: {own} against {base} {metric.info.unit}, {comparison.text} {_evidence(comparison)}."


def _evidence(comparison: Comparison) -> str:
    return f"(95 % CI {comparison.ci_text}, {pair_count(comparison.pairs)})"


def _margin(metric: Metric, comparison: Comparison) -> str:
    if comparison.scale == "ratio":
        return f"{100 * comparison.margin:g} %"
    unit = {"CV": "", "%": " points"}.get(metric.info.unit, f" {metric.info.unit}")
    return f"{comparison.margin:,g}{unit}"


def _decimals(value: float) -> int:
    return 2 if abs(value) < 10 else 1 if abs(value) < 1000 else 0


def _more(ratio: float) -> str:
    """``7.4x more``, ``12 % more``, ``12 % fewer``."""
    if ratio >= _TIMES_FROM:
        return f"{times(ratio)} more"
    return f"{_size(ratio)} {'more' if ratio > 1 else 'fewer'}"


def _moved(ratio: float) -> str:
    """``rose 2.3x``, ``rose 12 %``, ``fell 88 %``."""
    if ratio >= _TIMES_FROM:
        return f"rose {times(ratio)}"
    return f"{'rose' if ratio > 1 else 'fell'} {_size(ratio)}"


def _size(ratio: float) -> str:
    return percent(ratio).lstrip("+-")
