"""The sentences of a verdict (docs/method.md, Words). A sentence claims no more than the interval shows.

Report, lists, command line and exports show these sentences and make none of their own.
"""

from ngxlab_contracts.sentences import Sentence, fixed, listed, say
from ngxlab_verdict.power import MAX_BLOCKS

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import Comparison
from ngxlab.analysis.verdict import numbers
from ngxlab.analysis.verdict.comparison import TOO_NOISY, is_far

Arms = tuple[str, str]
"""The labels of the arm and of the one that it is compared with."""


def sentence(metric: Metric, arms: Arms, means: tuple[float, float], comparison: Comparison) -> Sentence:
    """The answer, then the figure, its interval and the number of pairs. ``means`` are those of the two arms."""
    if comparison.verdict == "not_valid":
        compared = _between(metric, arms)
        return say("Not valid: {compared}: {reason}.", compared=compared, reason=comparison.reason or "")
    answer = fixed(comparison.verdict.capitalize())
    if comparison.family == "exploratory":
        answer = say("Exploratory, {verdict}", verdict=fixed(comparison.verdict))
    return say("{answer}: {finding}.", answer=answer, finding=_finding(metric, arms, means, comparison))


def no_comparison(metric: Metric, arms: Arms, reason: Sentence) -> Sentence:
    return say("No comparison: {compared}: {reason}.", compared=_between(metric, arms), reason=reason)


def not_valid(reason: Sentence) -> Sentence:
    """The first sentence of a headline whose claims, or some of them, a check voids."""
    return say("Not valid: {reason}.", reason=reason)


def qualification(
    *,
    chosen_window: Sentence | None,
    preview_blocks: int | None,
    partial: Sentence | None,
    looks: Sentence | None,
    validity: Sentence,
    has_cv: bool = False,
) -> Sentence:
    """Whether the window was chosen afterwards, how much was measured, when it may be read, and which checks passed.

    ``has_cv``: a CV is said of the run, which is explained first.
    """
    preview = None
    if preview_blocks is not None:
        one = preview_blocks == 1
        text = "Preview only: {blocks} complete block." if one else "Preview only: {blocks} complete blocks."
        preview = say(text, blocks=preview_blocks)
    cv = (
        say("CV is the scatter: the standard deviation as a share of the mean, 0 if all do the same.")
        if has_cv
        else None
    )
    clauses = (cv, chosen_window, preview, partial, looks, say("Validity: {validity}.", validity=validity))
    return listed((clause for clause in clauses if clause is not None), " ")


def _finding(metric: Metric, arms: Arms, means: tuple[float, float], comparison: Comparison) -> Sentence:
    if comparison.verdict == "undecided":
        return _undecided(metric, arms, comparison)
    if comparison.verdict == "equivalent":
        return _equivalent(metric, arms, comparison)
    if comparison.scale == "difference":
        words = _balance if metric.info.group == "balance" else _apart
        return say(
            "{finding}, a difference of {size} {evidence}",
            finding=words(metric, arms, means, comparison),
            size=numbers.in_unit(comparison.text, metric.info.unit),
            evidence=_evidence(comparison),
        )
    words_of_ratio = _served if metric.info.key == "requests_per_s" else _ratio
    return say("{finding} {evidence}", finding=words_of_ratio(metric, arms, comparison), evidence=_evidence(comparison))


def _between(metric: Metric, arms: Arms) -> Sentence:
    return say("{metric} with `{arm}` against `{other}`", metric=fixed(metric.phrase), arm=arms[0], other=arms[1])


def _undecided(metric: Metric, arms: Arms, comparison: Comparison) -> Sentence:
    size = numbers.in_unit(comparison.text, metric.info.unit) if comparison.scale == "difference" else comparison.text
    if is_far(comparison):
        template = (
            "{size}, far above, not yet confirmed"
            if comparison.estimate > 1
            else "{size}, far below, not yet confirmed"
        )
        size = say(template, size=size)
    subject = say("{compared}: {size}", compared=_between(metric, arms), size=size)
    if comparison.ci_text is None:
        pairs, reason = _pairs(comparison), comparison.reason or ""
        return say("{subject} ({pairs}; {reason})", subject=subject, pairs=pairs, reason=reason)
    found = say("{subject} {evidence}", subject=subject, evidence=_evidence(comparison))
    if comparison.reason is not None:
        return say("{found}; {reason}", found=found, reason=comparison.reason)
    return _with_more_pairs(found, comparison, _margin(metric, comparison))


def _with_more_pairs(found: Sentence, comparison: Comparison, margin: str) -> Sentence:
    """How many more pairs decide: if the effect is what it looks like, and if there is none."""
    more, none = comparison.more_blocks, comparison.blocks_for_none
    if none is None:
        return found
    if more is None and _excludes_no_change(comparison):
        return say("{found}; it differs by about the margin of {margin}", found=found, margin=margin)
    if more is None or more >= MAX_BLOCKS:
        if none >= MAX_BLOCKS:
            text = "{found}; even {pairs:,} more pairs would not decide at a margin of {margin}: too much noise"
            return say(text, found=found, pairs=MAX_BLOCKS, margin=margin)
        text = "{found}; about {more} if there is no effect (80 % power, margin {margin})"
        return say(text, found=found, more=_decide(none), margin=margin)
    if none >= MAX_BLOCKS:
        text = "{found}; about {more} if the effect is what it looks like (80 % power, margin {margin})"
        return say(text, found=found, more=_decide(more), margin=margin)
    text = (
        "{found}; about {more} if the effect is what it looks like, {none} if there is none "
        "(80 % power, margin {margin})"
    )
    return say(text, found=found, more=_decide(more), none=none, margin=margin)


def _excludes_no_change(comparison: Comparison) -> bool:
    nothing = 1.0 if comparison.scale == "ratio" else 0.0
    low, high = comparison.ci_low, comparison.ci_high
    return low is not None and high is not None and (low > nothing or high < nothing)


def _decide(pairs: int) -> Sentence:
    return say("{count} more pair decides" if pairs == 1 else "{count} more pairs decide", count=pairs)


def _equivalent(metric: Metric, arms: Arms, comparison: Comparison) -> Sentence:
    return say(
        "{metric} differ by less than {margin} between `{arm}` and `{other}` {evidence}"
        if _is_plural(metric)
        else "{metric} differs by less than {margin} between `{arm}` and `{other}` {evidence}",
        metric=fixed(metric.phrase),
        margin=_margin(metric, comparison),
        arm=arms[0],
        other=arms[1],
        evidence=_evidence(comparison),
    )


def _served(metric: Metric, arms: Arms, comparison: Comparison) -> Sentence:
    size, is_factor = _size(comparison)
    if is_factor:
        template = "`{arm}` served {size} times as many {metric} as `{other}`"
    elif comparison.estimate > 1:
        template = "`{arm}` served {size} more {metric} than `{other}`"
    else:
        template = "`{arm}` served {size} fewer {metric} than `{other}`"
    return say(template, arm=arms[0], other=arms[1], size=size, metric=fixed(metric.phrase))


_TIMES = {
    True: "{metric} are {size} times as high with `{arm}` as with `{other}`",
    False: "{metric} is {size} times as high with `{arm}` as with `{other}`",
}
"""By whether the metric is plural."""
_CHANGED = {
    (True, True): "{metric} are {size} higher with `{arm}` than with `{other}`",
    (True, False): "{metric} are {size} lower with `{arm}` than with `{other}`",
    (False, True): "{metric} is {size} higher with `{arm}` than with `{other}`",
    (False, False): "{metric} is {size} lower with `{arm}` than with `{other}`",
}
"""By whether the metric is plural, and whether it rose."""
_APART = {
    (True, True): "{metric} are higher with `{arm}` than with `{other}`: {own} against {base}",
    (True, False): "{metric} are lower with `{arm}` than with `{other}`: {own} against {base}",
    (False, True): "{metric} is higher with `{arm}` than with `{other}`: {own} against {base}",
    (False, False): "{metric} is lower with `{arm}` than with `{other}`: {own} against {base}",
}
_BALANCE = {
    (True, True): "the workers of `{arm}` shared CPU more evenly than those of `{other}`: "
    "CV {own:.2f} against {base:.2f}",
    (True, False): "the workers of `{arm}` shared CPU less evenly than those of `{other}`: "
    "CV {own:.2f} against {base:.2f}",
    (False, True): "the workers of `{arm}` shared connections more evenly than those of `{other}`: "
    "CV {own:.2f} against {base:.2f}",
    (False, False): "the workers of `{arm}` shared connections less evenly than those of `{other}`: "
    "CV {own:.2f} against {base:.2f}",
}
"""By whether it is of CPU, and whether it is more even."""


def _ratio(metric: Metric, arms: Arms, comparison: Comparison) -> Sentence:
    (size, is_factor), plural = _size(comparison), _is_plural(metric)
    template = _TIMES[plural] if is_factor else _CHANGED[plural, comparison.estimate > 1]
    return say(template, metric=fixed(metric.phrase), size=size, arm=arms[0], other=arms[1])


def _size(comparison: Comparison) -> tuple[str, bool]:
    """``7.4`` and true of ``7.4x``, ``12 %`` and false of ``+12 %``."""
    is_factor = comparison.text.endswith("x")
    return (comparison.text.removesuffix("x") if is_factor else comparison.text.lstrip("+\N{MINUS SIGN}")), is_factor


def _apart(metric: Metric, arms: Arms, means: tuple[float, float], comparison: Comparison) -> Sentence:
    """Says which is higher, and not whether that is good."""
    own, base = numbers.levels(means, metric.info.unit)
    template = _APART[_is_plural(metric), comparison.estimate > 0]
    return say(template, metric=fixed(metric.phrase), arm=arms[0], other=arms[1], own=own, base=base)


def _balance(metric: Metric, arms: Arms, means: tuple[float, float], comparison: Comparison) -> Sentence:
    template = _BALANCE[metric.info.key == "worker_cpu_cv", comparison.estimate < 0]
    return say(template, arm=arms[0], other=arms[1], own=means[0], base=means[1])


def _evidence(comparison: Comparison) -> Sentence:
    interval, pairs = comparison.ci_text or "", _pairs(comparison)
    if interval == TOO_NOISY:
        return say("({interval}, {pairs})", interval=interval, pairs=pairs)
    return say("({kind} {interval}, {pairs})", kind=comparison.interval, interval=interval, pairs=pairs)


def _pairs(comparison: Comparison) -> Sentence:
    if (trials := comparison.trials) is not None:
        return say("n = {own} and {base} trials, unpaired", own=trials.own, base=trials.baseline)
    return say("n = {pairs} pairs" if comparison.pairs != 1 else "n = {pairs} pair", pairs=comparison.pairs)


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
