"""When a perturbation acts, in microseconds after the measured window began."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from ngxlab_contracts.perturbations import During, Every, Once, When


@dataclass(frozen=True)
class Beat:
    """The ``number``-th action, from 1. Only an action that lasts ends later than it begins."""

    number: int
    begin_us: int
    end_us: int


def beats(when: When, window_s: float) -> Iterator[Beat]:
    """All actions in order. None begins at the window's end or later, and none lasts beyond it."""
    window_us = _us(window_s)
    match when:
        case Once():
            yield from _those_within(window_us, [Beat(1, _us(when.at_s), _us(when.at_s))])
        case Every():
            until_us = window_us if when.until_s is None else min(window_us, _us(when.until_s))
            for index in count():
                begin_us = _us(when.from_s + index * when.every_s)
                if begin_us >= until_us:
                    return
                yield Beat(index + 1, begin_us, begin_us)
        case During():
            end_us = window_us if when.until_s is None else min(window_us, _us(when.until_s))
            yield from _those_within(end_us, [Beat(1, _us(when.from_s), end_us)])


def _those_within(end_us: int, planned: list[Beat]) -> Iterator[Beat]:
    return (beat for beat in planned if beat.begin_us < end_us)


def _us(seconds: float) -> int:
    return round(seconds * 1e6)
