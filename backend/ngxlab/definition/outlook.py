"""What a plan takes and what it will find, before it starts: a search for the capacity, a curve, the best of many."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ngxlab_contracts.sentences import Sentence, fixed, say
from ngxlab_verdict.quantiles import t_quantile
from ngxlab_verdict.selection import Noise, error_of, kept_by_heat

from ngxlab.analysis.schemas import MetricNoise
from ngxlab.definition.resolve import ResolvedArm
from ngxlab.definition.schema.definition import Definition

_FULL_STEPS, _LONGEST_S = 8, 10.0
"""A full step of a search takes so large a part of its window, and no longer."""
ERROR = 0.05


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def outlook(definition: Definition, arms: Sequence[ResolvedArm]) -> list[Sentence]:
    """What is certain of a plan of one of the three kinds; empty for any other."""
    return [*_search(definition), *_curve(definition, arms), *_heats(definition)]


def _search(definition: Definition) -> Iterator[Sentence]:
    """The widths are those of docs/simulations.md."""
    if not any(stream.capacity is not None for stream in definition.streams):
        return
    window_s = definition.plan.measure_s
    yield say(
        "Each trial is one search, which takes the whole measured window of {window:g} s: short steps first, then full "
        "ones of {full:.3g} s each. It finds the capacity with an interval; of a search of 60 s alone it is 2 to 5 % "
        "wide, by simulation, and of a shorter one wider.",
        window=window_s,
        full=min(_LONGEST_S, window_s / _FULL_STEPS),
    )


def _curve(definition: Definition, arms: Sequence[ResolvedArm]) -> Iterator[Sentence]:
    found = next(((arm, one) for arm in arms for one in arm.streams if one.draws_curve is not None), None)
    if found is None or (wanted := found[1].draws_curve) is None:
        return
    if wanted.connections:
        yield say(
            "Each trial tries {count} numbers of connections for {each:.3g} s each. It finds the plateau, if "
            "throughput stops to rise between {low:,} and {high:,} connections, and, with five numbers or more, the "
            "scalability law, where it fits.",
            count=len(wanted.connections),
            each=definition.plan.measure_s / len(wanted.connections),
            low=min(wanted.connections),
            high=max(wanted.connections),
        )
        return
    rates = sorted(wanted.rates_per_s)
    gap = max((high / low - 1 for low, high in pairwise(rates)), default=0.0)
    yield say(
        "Each trial tries {rates} rates for {each:.3g} s each. It finds the rate up to which throughput follows, if "
        "that lies between {low:,g} and {high:,g} requests a second; where latency reaches a bound is found between "
        "two neighbouring rates, which differ by up to {gap:.0f} %.",
        rates=len(rates),
        each=definition.plan.measure_s / len(rates),
        low=rates[0],
        high=rates[-1],
        gap=100 * gap,
    )


def _heats(definition: Definition) -> Iterator[Sentence]:
    """Who is left after each heat, and when."""
    chosen, others = definition.plan.selection, len(definition.arms) - 1
    if chosen is None or chosen.finalists >= others:
        return
    trial_s, entering, elapsed_s = definition.trial_seconds(), others, 0.0
    for number, stay in enumerate(kept_by_heat(others, chosen.finalists), start=1):
        elapsed_s += chosen.heat_blocks * (entering + 1) * trial_s
        yield say(
            "Heat {number} measures {arms} arms and the baseline in {blocks} blocks; {dropped} arms go, {stay} stay, "
            "after {time}.",
            number=number,
            arms=entering,
            blocks=chosen.heat_blocks,
            dropped=entering - stay,
            stay=stay,
            time=duration(elapsed_s),
        )
        entering = stay


def expected(definition: Definition, noise: MetricNoise, phrase: str, blocks: int, margin: float) -> list[Sentence]:
    """What known noise of the first primary metric leads to expect. ``phrase``: the metric's. ``margin``: on the
    additive scale."""
    steered = any(stream.capacity is not None or stream.curve is not None for stream in definition.streams)
    return [*(_interval(noise, phrase, blocks) if steered else ()), *_choice(definition, noise, margin)]


def _interval(noise: MetricNoise, phrase: str, blocks: int) -> Iterator[Sentence]:
    """Of an arm by itself: what all trials of a block share is in it."""
    if blocks < 2 or noise.scale != "ratio":
        return
    deviation = math.hypot(noise.deviation, noise.block_deviation or 0.0)
    half = t_quantile(ERROR, blocks - 1) * deviation / math.sqrt(blocks)
    yield say(
        "By what was measured here before, {blocks} blocks tell the {phrase} of an arm to ±{percent:.2g} %.",
        blocks=blocks,
        phrase=fixed(phrase),
        percent=100 * math.expm1(half),
    )


def _choice(definition: Definition, noise: MetricNoise, margin: float) -> Iterator[Sentence]:
    chosen, others = definition.plan.selection, len(definition.arms) - 1
    if chosen is None or chosen.finalists >= others or noise.scale != "ratio" or noise.deviation <= 0:
        return
    known = Noise(noise.deviation, max(1, round(noise.degrees)))
    error = error_of(others, chosen.finalists, chosen.heat_blocks, known, margin)
    yield say(
        "By what was measured here before, and if all others are equal: heats drop an arm that is better by "
        "{margin:.3g} % in {percent:.2g} % of such runs, and one that is better by {sure:.2g} % or more in at most "
        "5 %.",
        margin=100 * math.expm1(margin),
        percent=100 * error.dropped,
        sure=100 * math.expm1(error.sure_from),
    )
