"""Claims and effects as text for people."""

import math
from collections.abc import Iterable, Sequence
from itertools import groupby

from ngxlab_verdict import Claim, MetricRule, Question
from ngxlab_verdict.families import ERROR, own_shares
from ngxlab_verdict.numbers import Texts, column_has_factors, texts_of
from ngxlab_verdict.power import MAX_BLOCKS, MoreBlocks, more_blocks
from ngxlab_verdict.words import confidence

from ngxlab_cli.judge.factors import Factorial
from ngxlab_cli.tables import columns

_SIGNS = "+\N{MINUS SIGN}"


def experiment_text(
    name: str | None, baseline: str, claims: Sequence[Claim], asked: Question, found: Factorial | None
) -> str:
    """Answers first, then a table for each metric, in which all changes are written alike."""
    title = f"{name}, against {baseline}" if name else f"against {baseline}"
    if not claims:
        return f"{title}\n  There is no other arm.\n"
    primary = [claim for claim in claims if claim.family == "primary"]
    answers = [_answer(claim) for claim in primary if claim.verdict != "undecided"]
    if undecided := sum(claim.verdict == "undecided" for claim in primary):
        answers.append(f"Undecided: {undecided} of {len(primary)} primary claims.")
    more = [(claim, more_blocks(claim, margin_of(claim, asked))) for claim in primary]
    answers += [_more(claim, blocks) for claim, blocks in more if blocks is not None]
    tables = [_table(metric, list(own)) for metric, own in groupby(claims, lambda claim: claim.metric)]
    notes = [
        *_errors(primary, asked),
        *(f"{claim.arm}, {claim.metric}: {claim.reason}" for claim in claims if claim.reason),
    ]
    sections = [[title, *_indented(answers)], *tables, _indented(notes), *(_effects(found) if found else [])]
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def margin_of(claim: Claim, asked: Question) -> float:
    """On the additive scale."""
    rule = asked.rules.get(claim.metric, MetricRule())
    margin = asked.margin if rule.margin is None else rule.margin
    return margin if rule.scale == "difference" else math.log1p(margin)


def _answer(claim: Claim) -> str:
    shown = _texts(claim)
    figures = f"{shown.estimate} ({shown.low} to {shown.high}, n = {claim.pairs} pairs)"
    return f"{claim.arm} is {claim.verdict} in {claim.metric}{_at_least(claim, shown)}: {figures}."


def _at_least(claim: Claim, shown: Texts) -> str:
    if not claim.at_least or claim.low is None or shown.low is None or shown.high is None:
        return ""
    rose = claim.low > (1 if claim.scale == "ratio" else 0)
    return f" by at least {(shown.low if rose else shown.high).lstrip(_SIGNS)}"


def _more(claim: Claim, more: MoreBlocks) -> str:
    shown = _texts(claim)
    asks = f"{_count(more.for_none)} if there is none"
    if more.to_decide is not None:
        asks = f"{_count(more.to_decide)} if the effect is what it looks like, {asks}"
    figures = f"{shown.estimate} ({shown.low} to {shown.high})"
    return f"{claim.arm} in {claim.metric}: {figures}; more pairs that decide with 80 % power: {asks}."


def _count(pairs: int) -> str:
    return f"more than {pairs:,}" if pairs >= MAX_BLOCKS else f"about {pairs:,}"


def _errors(primary: Sequence[Claim], asked: Question) -> list[str]:
    """The part of the error that each primary metric has of its own, and when claims hold."""
    metrics = list(dict.fromkeys(claim.metric for claim in primary))
    order = [metric for metric in asked.primary or metrics if metric in metrics]
    shares = own_shares(
        len(order), ordered=asked.primary is not None, error=asked.named("primary", ERROR - asked.spent)
    )
    said = []
    if len(order) > 1:
        parts = ", ".join(f"{metric} {100 * share:.2g} %" for metric, share in zip(order, shares, strict=True))
        said.append(
            f"Of the error, the metrics have of their own: {parts}; one that is decided in all arms passes it on."
        )
    if asked.looks is not None:
        said.append(f"Intervals hold at any look, from 5 pairs on, up to {asked.looks.last} blocks.")
    return said


def _table(metric: str, claims: Sequence[Claim]) -> list[str]:
    ratios = [(claim.estimate, claim.high) for claim in claims if claim.scale == "ratio" and claim.estimate is not None]
    factors = column_has_factors(ratios)
    rows = [["arm", "verdict", "change", "interval", "level", "pairs"]]
    rows += [_row(claim, factors=factors) for claim in claims]
    return [f"  {metric}, {claims[0].family}", *_indented(columns(rows).splitlines(), 4)]


def _row(claim: Claim, *, factors: bool) -> list[str]:
    shown = _texts(claim, factors=factors)
    interval = f"{shown.low} to {shown.high}" if shown.low is not None else "-"
    level = f"{confidence(claim.error):g} %" if claim.low is not None else "-"
    return [claim.arm, claim.verdict, shown.estimate, interval, level, str(claim.pairs)]


def _texts(claim: Claim, *, factors: bool | None = None) -> Texts:
    if claim.estimate is None:
        return Texts("-")
    return texts_of(claim.estimate, claim.low, claim.high, ratio=claim.scale == "ratio", factors=factors)


def _effects(found: Factorial) -> Iterable[list[str]]:
    for metric, effects in found.effects.items():
        ratios = [[math.exp(value) for value in (one.estimate, one.low, one.high)] for one in effects]
        factors = column_has_factors((ratio, high) for ratio, _, high in ratios)
        rows = [["levels", "verdict", "change", "interval"]]
        for effect, (ratio, low, high) in zip(effects, ratios, strict=True):
            shown = texts_of(ratio, low, high, ratio=True, factors=factors)
            named = [f"{factor}={level}" for factor, level in effect.of]
            levels = (
                f"{named[0]} against {found.references[effect.of[0][0]]}" if len(named) == 1 else " with ".join(named)
            )
            rows.append([levels, effect.verdict, shown.estimate, f"{shown.low} to {shown.high}"])
        level = confidence(effects[0].error)
        title = f"  Factors, {metric}, {effects[0].family}, all intervals together {level:g} %"
        yield [title, *_indented(columns(rows).splitlines(), 4)]
    if found.reasons:
        yield _indented([f"Factors, {metric}: {reason}." for metric, reason in found.reasons.items()])


def _indented(lines: Iterable[str], by: int = 2) -> list[str]:
    return [f"{' ' * by}{line}" for line in lines]
