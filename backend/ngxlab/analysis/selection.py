"""Which arms of many are measured to the end (docs/best-of-many.md): the cut after a heat, and what is said of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_verdict.design import Floats
from ngxlab_verdict.numbers import texts_of
from ngxlab_verdict.selection import Error, best, error_of, kept_by_heat, noise_of, standings

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import Heat, HeatArm, RunSelection
from ngxlab.analysis.verdict.claims import TrialsByBlock, values_of
from ngxlab.analysis.verdict.numbers import in_unit


@dataclass(frozen=True)
class Choice:
    """``arms``: all of them but the baseline, with their labels. ``heats``: those that are over."""

    arms: Mapping[str, str]
    baseline: str
    finalists: int
    blocks: int
    heats: Sequence[Heat] = ()

    @property
    def kept(self) -> tuple[int, ...]:
        """How many arms each heat leaves."""
        return kept_by_heat(len(self.arms), self.finalists)

    @property
    def left(self) -> list[str]:
        """The arms that are left, in their own order."""
        if not self.heats:
            return list(self.arms)
        stay = {one.arm for one in self.heats[-1].arms if one.stays}
        return [arm for arm in self.arms if arm in stay]

    @property
    def is_over(self) -> bool:
        return len(self.heats) == len(self.kept) or len(self.left) <= self.finalists

    @property
    def dropped(self) -> dict[str, tuple[int, Sentence]]:
        """By arm: the heat, and why."""
        every = ((one.number, own) for one in self.heats for own in one.arms)
        return {own.arm: (number, own.reason) for number, own in every if own.reason is not None}


def cut(choice: Choice, metric: Metric, measured: Sequence[Mapping[str, TrialsByBlock]]) -> Heat:
    """The heat that has just been measured. ``measured``: of each heat so far, the usable trials of each arm."""
    left, number = choice.left, len(measured)
    arms = [choice.baseline, *left]
    blocks = range(1, choice.blocks + 1)
    heats = [values_of([metric], [by_arm.get(arm, {}) for arm in arms], blocks)[0] for by_arm in measured]
    scaled = np.concatenate([on_scale(values, metric) for values in heats], axis=1)
    signed = scaled[1:] if metric.info.direction == "more_is_better" else -scaled[1:]
    ranked = best(signed, len(left))
    stay = best(signed, choice.kept[number - 1])
    shown = [_shown(scaled[[0, place]], metric) for place in range(len(arms))]
    last = shown[stay[-1] + 1].change if stay else None
    order = [0, *(1 + place for place in ranked), *(1 + place for place in range(len(left)) if place not in ranked)]
    found = []
    for rank, place in enumerate(order):
        mean, change = shown[place]
        told = change_text(change, metric) if change is not None and place > 0 else None
        stays = place == 0 or place - 1 in stay
        found.append(
            HeatArm(
                arm=arms[place],
                values=[None if math.isnan(value) else float(value) for value in heats[-1][place]],
                mean=mean,
                change=change if place > 0 else None,
                text=told,
                stays=stays,
                reason=None if stays else _reason(mean, told, rank, (len(stay), last), metric),
            )
        )
    return Heat(number=number, arms=found)


def on_scale(values: Floats, metric: Metric) -> Floats:
    """Logarithms where ratios are compared, NaN of what has none."""
    if metric.info.scale != "ratio":
        return values
    return np.asarray(np.log(np.where(values > 0, values, np.nan)), np.float64)


class _Shown(NamedTuple):
    """An arm's mean, and its change against the baseline."""

    mean: float | None
    change: float | None


def _shown(pair: Floats, metric: Metric) -> _Shown:
    """``pair``: of the baseline and an arm, on the additive scale."""
    back = math.exp if metric.info.scale == "ratio" else float
    own = pair[1][~np.isnan(pair[1])]
    both = pair[:, ~np.isnan(pair).any(axis=0)]
    mean = back(float(own.mean())) if own.size else None
    return _Shown(mean, back(float((both[1] - both[0]).mean())) if both.size else None)


def _reason(
    mean: float | None, change: Sentence | None, place: int, stayed: tuple[int, float | None], metric: Metric
) -> Sentence:
    """``place``: from 1. ``stayed``: how many did, and the change of the last of them."""
    count, last = stayed
    if mean is None:
        return say("It had no usable trial.")
    if change is None or last is None:
        return say("Place {place}; the first {stayed} stayed.", place=place, stayed=count)
    return say(
        "Place {place}, at {change} against the baseline; the first {stayed} stayed, the last of them at {last}.",
        place=place, stayed=count, change=change, last=change_text(last, metric),
    )  # fmt: skip


def change_text(change: float, metric: Metric) -> Sentence:
    """A ratio or a difference as the report writes it."""
    ratio = metric.info.scale == "ratio"
    text = texts_of(change, None, None, ratio=ratio, unit=metric.info.unit).estimate
    return say("{change}", change=text) if ratio else in_unit(text, metric.info.unit)


def _error(choice: Choice, metric: Metric, margin: float) -> Error | None:
    """Of the whole choice; ``None`` before its end, and where no scatter was seen. ``margin``: 0.02 is 2 %."""
    if not choice.is_over:
        return None
    noise = noise_of([on_scale(_matrix(one), metric) for one in choice.heats])
    if noise is None:
        return None
    additive = math.log1p(margin) if metric.info.scale == "ratio" else margin
    return error_of(len(choice.arms), choice.finalists, choice.blocks, noise, additive)


def _matrix(one: Heat) -> Floats:
    return np.array([[np.nan if value is None else value for value in arm.values] for arm in one.arms], np.float64)


def described(
    choice: Choice, metric: Metric, margin: float, found: str | None, unsaid: Sentence | None
) -> RunSelection:
    """``found``: the best arm of those that were left. ``unsaid``: why it cannot be told."""
    error = _error(choice, metric, margin)
    ratio = metric.info.scale == "ratio"
    sure = None if error is None else math.exp(error.sure_from) if ratio else error.sure_from
    return RunSelection(
        metric=metric.name,
        title=metric.info.title,
        unit=metric.info.unit,
        scale=metric.info.scale,
        of=len(choice.arms),
        wanted=choice.finalists,
        blocks=choice.blocks,
        planned=len(choice.kept),
        heats=list(choice.heats),
        finalists=choice.left,
        dropped_percent=None if error is None else 100 * error.dropped,
        sure_from=sure,
        error=None if error is None or sure is None else _error_text(error, sure, metric, margin),
        best=found,
        text=_text(choice, metric, found, unsaid),
    )


def _error_text(error: Error, sure: float, metric: Metric, margin: float) -> Sentence:
    ratio = metric.info.scale == "ratio"
    by, surely = (change_text(1 + margin if ratio else margin, metric), change_text(sure, metric))
    return say(
        "By the scatter of the heats, and in the hardest case, that all others are equal: an arm that is better than "
        "they are by {margin} is dropped in {percent} % of such choices, one that is better by {sure} or more in at "
        "most 5 %.",
        margin=str(by).lstrip("+"), percent=f"{100 * error.dropped:.3g}", sure=str(surely).lstrip("+"),
    )  # fmt: skip


def _text(choice: Choice, metric: Metric, found: str | None, unsaid: Sentence | None) -> Sentence:
    of, left = len(choice.arms), len(choice.left)
    if not choice.is_over:
        return say(
            "Arms are being chosen: {left} of {of} are left after {heats} of {planned} heats.",
            left=left, of=of, heats=len(choice.heats), planned=len(choice.kept),
        )  # fmt: skip
    chosen = say("{left} of {of} arms were chosen by {metric}.", left=left, of=of, metric=metric.phrase)
    if unsaid is not None:
        return say("{chosen} {why}", chosen=chosen, why=unsaid)
    if found is None:
        return say("{chosen} None of them is shown to be the best.", chosen=chosen)
    if found == choice.baseline:
        return say("{chosen} The baseline is better than each of them.", chosen=chosen)
    return say("{chosen} The best is {arm}.", chosen=chosen, arm=choice.arms[found])


def leading(values: Floats, metric: Metric) -> int | None:
    """Of ``values[arm, block]`` of those left, which lies highest; ``None`` where nobody has two."""
    scaled = on_scale(values, metric)
    signed = scaled if metric.info.direction == "more_is_better" else -scaled
    found = standings(signed)
    return None if np.isnan(found).all() or values.shape[1] < 2 else int(np.nanargmax(found))
