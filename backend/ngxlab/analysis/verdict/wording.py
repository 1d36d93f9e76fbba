"""The sentences of a verdict (docs/method.md, Words). A sentence claims no more than the interval shows."""

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import Comparison
from ngxlab.analysis.verdict import numbers
from ngxlab.analysis.verdict.comparison import MAX_MORE_BLOCKS


def sentence(metric: Metric, arm: str, baseline: str, means: tuple[float, float], comparison: Comparison) -> str:
    """One statement about one arm and metric. ``means`` are those of the arm and the baseline."""
    if comparison.verdict == "not_valid":
        return f"Not valid: {metric.phrase} of `{arm}`: {comparison.reason}."
    if comparison.family == "exploratory":
        return f"Exploratory: {_sentence(metric, arm, baseline, means, comparison)}"
    return _sentence(metric, arm, baseline, means, comparison)


def _sentence(metric: Metric, arm: str, baseline: str, means: tuple[float, float], comparison: Comparison) -> str:
    if comparison.verdict == "undecided":
        return _undecided(metric, arm, comparison)
    evidence = _evidence(comparison)
    if comparison.verdict == "equivalent":
        within = f"±{_margin(metric, comparison)}"
        return f"`{arm}` and `{baseline}` are equivalent in {metric.phrase} within {within} {evidence}."
    if comparison.scale == "difference" and metric.info.group == "balance":
        return _balance(metric, arm, baseline, means, comparison)
    if comparison.verdict in {"higher", "lower"} or comparison.scale == "difference":
        return _higher_or_lower(metric, arm, baseline, means, comparison)
    if metric.info.key == "requests_per_s":
        return f"`{arm}` served {_more(comparison.estimate)} {metric.phrase} than `{baseline}` {evidence}."
    return f"`{arm}`: {metric.phrase} {_moved(comparison.estimate)} against `{baseline}` {evidence}."


def no_comparison(metric: Metric, arm: str, reason: str) -> str:
    return f"No comparison of `{arm}` in {metric.phrase}: {reason}."


def qualification(
    *, void: str | None, chosen_window: str | None, preview_blocks: int | None, partial: str | None, validity: str
) -> str:
    """What voids the claims, whether the window was chosen afterwards, how much was measured, which checks passed."""
    clauses = [f"Not valid: {void}."] if void is not None else []
    if chosen_window is not None:
        clauses.append(chosen_window)
    if preview_blocks is not None:
        clauses.append(f"Preview only: {preview_blocks} complete block{'s' if preview_blocks != 1 else ''}.")
    if partial is not None:
        clauses.append(partial)
    return " ".join([*clauses, f"Validity: {validity}."])


def _undecided(metric: Metric, arm: str, comparison: Comparison) -> str:
    subject = f"No conclusion on {metric.phrase} of `{arm}`"
    if comparison.ci_text is None:
        return f"{subject} ({comparison.text}): {comparison.reason}."
    margin = _margin(metric, comparison)
    interval = f"{subject}: {comparison.ci_text} {_confidence(comparison)}"
    if comparison.more_blocks is None:
        return f"{interval}, which crosses the margin of {margin}."
    if comparison.more_blocks >= MAX_MORE_BLOCKS:
        return f"{interval}; even {MAX_MORE_BLOCKS:,} more pairs would not resolve {margin}: too much noise."
    pairs = "pair" if comparison.more_blocks == 1 else "pairs"
    return f"{interval}; about {comparison.more_blocks} more {pairs} needed to resolve {margin}."


def _balance(metric: Metric, arm: str, baseline: str, means: tuple[float, float], comparison: Comparison) -> str:
    how = "more evenly" if comparison.estimate < 0 else "less evenly"
    what = "CPU" if metric.info.key == "worker_cpu_cv" else "connections"
    shares = f"workers of `{arm}` shared {what} {how} than those of `{baseline}`"
    return f"The {shares}: CV {means[0]:.2f} against {means[1]:.2f}, {_difference(metric, comparison)}."


def _higher_or_lower(
    metric: Metric, arm: str, baseline: str, means: tuple[float, float], comparison: Comparison
) -> str:
    """Says which is higher, and not whether that is good."""
    word = "higher" if comparison.estimate > (1 if comparison.scale == "ratio" else 0) else "lower"
    claim = f"`{arm}`: {metric.phrase} {word} than with `{baseline}`"
    if comparison.scale == "ratio":
        kind = "ratio" if numbers.is_factor(comparison.estimate) else "change"
        return f"{claim}, a {kind} of {comparison.text} {_evidence(comparison)}."
    own, base = (f"{mean:,.{numbers.decimals(mean)}f}" for mean in means)
    unit = f" {metric.info.unit}".rstrip()
    return f"{claim}: {own} against {base}{unit}, {_difference(metric, comparison)}."


def _difference(metric: Metric, comparison: Comparison) -> str:
    return f"a difference of {comparison.text}{_unit(metric)} {_evidence(comparison)}"


def _evidence(comparison: Comparison) -> str:
    return f"(95 % CI {comparison.ci_text}, {_pairs(comparison)})"


def _confidence(comparison: Comparison) -> str:
    return f"(95 % CI, {_pairs(comparison)})"


def _pairs(comparison: Comparison) -> str:
    return f"n = {comparison.pairs} pair{'s' if comparison.pairs != 1 else ''}"


def _margin(metric: Metric, comparison: Comparison) -> str:
    if comparison.scale == "ratio":
        return f"{100 * comparison.margin:g} %"
    return f"{comparison.margin:,g}{_unit(metric)}"


def _unit(metric: Metric) -> str:
    """Of a difference."""
    return {"CV": "", "%": " percentage points"}.get(metric.info.unit, f" {metric.info.unit}")


def _more(ratio: float) -> str:
    """``7.4x more``, ``12 % more``, ``12 % fewer``."""
    if numbers.is_factor(ratio):
        return f"{numbers.factor(ratio)} more"
    return f"{numbers.size_in_percent(ratio)} {'more' if ratio > 1 else 'fewer'}"


def _moved(ratio: float) -> str:
    """``rose 2.3x``, ``rose 12 %``, ``fell 88 %``."""
    if numbers.is_factor(ratio):
        return f"rose {numbers.factor(ratio)}"
    return f"{'rose' if ratio > 1 else 'fell'} {numbers.size_in_percent(ratio)}"
