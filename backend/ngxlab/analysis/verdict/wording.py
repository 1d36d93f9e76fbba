"""The sentences of a verdict (docs/method.md, Words). A sentence claims no more than the interval shows.

Report, lists, command line and exports show these sentences and make none of their own.
"""

from ngxlab_verdict.power import MAX_BLOCKS

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import Comparison
from ngxlab.analysis.verdict import numbers

Arms = tuple[str, str]
"""The labels of the arm and of the one that it is compared with."""


def sentence(metric: Metric, arms: Arms, means: tuple[float, float], comparison: Comparison) -> str:
    """The answer, then the figure, its interval and the number of pairs. ``means`` are those of the two arms."""
    if comparison.verdict == "not_valid":
        return f"Not valid: {_between(metric, arms)}: {comparison.reason}."
    answer = comparison.verdict.capitalize()
    if comparison.family == "exploratory":
        answer = f"Exploratory, {comparison.verdict}"
    return f"{answer}: {_finding(metric, arms, means, comparison)}."


def no_comparison(metric: Metric, arms: Arms, reason: str) -> str:
    return f"No comparison: {_between(metric, arms)}: {reason}."


def not_valid(reason: str) -> str:
    """The first sentence of a headline whose claims, or some of them, a check voids."""
    return f"Not valid: {reason}."


def qualification(
    *, chosen_window: str | None, preview_blocks: int | None, partial: str | None, looks: str | None, validity: str
) -> str:
    """Whether the window was chosen afterwards, how much was measured, when it may be read, and which checks passed."""
    clauses = [chosen_window] if chosen_window is not None else []
    if preview_blocks is not None:
        clauses.append(f"Preview only: {preview_blocks} complete block{'s' if preview_blocks != 1 else ''}.")
    if partial is not None:
        clauses.append(partial)
    if looks is not None:
        clauses.append(looks)
    return " ".join([*clauses, f"Validity: {validity}."])


def _finding(metric: Metric, arms: Arms, means: tuple[float, float], comparison: Comparison) -> str:
    if comparison.verdict == "undecided":
        return _undecided(metric, arms, comparison)
    if comparison.verdict == "equivalent":
        return _equivalent(metric, arms, comparison)
    if comparison.scale == "difference":
        words = _balance if metric.info.group == "balance" else _apart
        apart = f"{numbers.in_unit(comparison.text, metric.info.unit)} {_evidence(comparison)}"
        return f"{words(metric, arms, means, comparison)}, a difference of {apart}"
    words_of_ratio = _served if metric.info.key == "requests_per_s" else _ratio
    return f"{words_of_ratio(metric, arms, comparison)} {_evidence(comparison)}"


def _between(metric: Metric, arms: Arms) -> str:
    return f"{metric.phrase} with `{arms[0]}` against `{arms[1]}`"


def _undecided(metric: Metric, arms: Arms, comparison: Comparison) -> str:
    size = numbers.in_unit(comparison.text, metric.info.unit) if comparison.scale == "difference" else comparison.text
    subject = f"{_between(metric, arms)}: {size}"
    if comparison.ci_text is None:
        return f"{subject} ({_pairs(comparison)}; {comparison.reason})"
    interval = f"{subject} {_evidence(comparison)}"
    margin = _margin(metric, comparison)
    if comparison.more_blocks is None:
        return interval
    if comparison.more_blocks >= MAX_BLOCKS:
        return f"{interval}; even {MAX_BLOCKS:,} more pairs would not decide at a margin of {margin}: too much noise"
    more = f"{comparison.more_blocks} more {'pair decides' if comparison.more_blocks == 1 else 'pairs decide'}"
    return f"{interval}; about {more} with 80 % power at a margin of {margin}"


def _equivalent(metric: Metric, arms: Arms, comparison: Comparison) -> str:
    return (
        f"{metric.phrase} {'differ' if _is_plural(metric) else 'differs'} by less than {_margin(metric, comparison)} "
        f"between `{arms[0]}` and `{arms[1]}` {_evidence(comparison)}"
    )


def _served(metric: Metric, arms: Arms, comparison: Comparison) -> str:
    arm, other = arms
    size, is_factor = _size(comparison)
    if is_factor:
        return f"`{arm}` served {size} times as many {metric.phrase} as `{other}`"
    return f"`{arm}` served {size} {'more' if comparison.estimate > 1 else 'fewer'} {metric.phrase} than `{other}`"


def _ratio(metric: Metric, arms: Arms, comparison: Comparison) -> str:
    arm, other = arms
    size, is_factor = _size(comparison)
    phrase, plural = metric.phrase, _is_plural(metric)
    if is_factor:
        return f"{phrase} {'are' if plural else 'is'} {size} times as high with `{arm}` as with `{other}`"
    return (
        f"{phrase} {'are' if plural else 'is'} {size} {'higher' if comparison.estimate > 1 else 'lower'} "
        f"with `{arm}` than with `{other}`"
    )


def _size(comparison: Comparison) -> tuple[str, bool]:
    """``7.4`` and true of ``7.4x``, ``12 %`` and false of ``+12 %``."""
    is_factor = comparison.text.endswith("x")
    return (comparison.text.removesuffix("x") if is_factor else comparison.text.lstrip("+\N{MINUS SIGN}")), is_factor


def _apart(metric: Metric, arms: Arms, means: tuple[float, float], comparison: Comparison) -> str:
    """Says which is higher, and not whether that is good."""
    own, other = numbers.levels(means, metric.info.unit)
    return (
        f"{metric.phrase} {'are' if _is_plural(metric) else 'is'} {'higher' if comparison.estimate > 0 else 'lower'} "
        f"with `{arms[0]}` than with `{arms[1]}`: {own} against {other}"
    )


def _balance(metric: Metric, arms: Arms, means: tuple[float, float], comparison: Comparison) -> str:
    return (
        f"the workers of `{arms[0]}` shared {'CPU' if metric.info.key == 'worker_cpu_cv' else 'connections'} "
        f"{'more' if comparison.estimate < 0 else 'less'} evenly than those of `{arms[1]}`: "
        f"CV {means[0]:.2f} against {means[1]:.2f}"
    )


def _evidence(comparison: Comparison) -> str:
    return f"({comparison.interval} {comparison.ci_text}, {_pairs(comparison)})"


def _pairs(comparison: Comparison) -> str:
    if (trials := comparison.trials) is not None:
        return f"n = {trials.own} and {trials.baseline} trials, unpaired"
    return f"n = {comparison.pairs} pair{'s' if comparison.pairs != 1 else ''}"


def _margin(metric: Metric, comparison: Comparison) -> str:
    if comparison.scale == "ratio":
        return f"{100 * comparison.margin:g} %"
    if metric.info.unit == "bytes":
        return numbers.levels([comparison.margin], metric.info.unit)[0]
    return numbers.in_unit(f"{comparison.margin:,g}", metric.info.unit)


_PLURAL = ("requests/s", "bytes", "calls", "files")


def _is_plural(metric: Metric) -> bool:
    """By the phrase's noun: "write calls of nginx per request", "failed churn calls"."""
    noun = metric.phrase.split(" of ")[0].split(" per ")[0].split(" on ")[0]
    return noun.startswith(_PLURAL) or noun.endswith(_PLURAL)
