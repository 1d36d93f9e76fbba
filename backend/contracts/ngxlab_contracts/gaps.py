"""The gaps between the requests of a log, as text: whole numbers of :data:`TICK_S`, digit by digit.

A digit is a letter of base 64: five bits of the number, the lowest first, and 32 where another digit follows. The
last gap is that from the last request to the first of the next round. The browser and the command line write the same
(``frontend/src/domain/mix/gaps.ts``, ``cli/ngxlab_cli/mix/arrivals.py``).
"""

from functools import lru_cache
from string import ascii_letters, digits

from ngxlab_contracts.sentences import Sentence, say

TICKS_PER_S = 10_000
MOST_GAPS = 100_000
LONGEST_S = 86_400
"""Of all gaps together."""
PATTERN = "^[A-Za-z0-9+/]+$"
LONGEST_TEXT = 500_000

_LETTERS = ascii_letters[26:] + ascii_letters[:26] + digits + "+/"
_VALUES = {letter: value for value, letter in enumerate(_LETTERS)}
_MOST_BITS = 30


class GapsError(ValueError):
    """``reason``: follows the name of the field."""

    def __init__(self, reason: Sentence) -> None:
        super().__init__(reason)
        self.reason = reason


@lru_cache(maxsize=2)
def ticks_of(text: str) -> tuple[int, ...]:
    """The gaps, in ticks; of all arms of an experiment they are the same, and read once. Raises ``GapsError``."""
    found: list[int] = []
    value = shift = 0
    for letter in text:
        digit = _VALUES.get(letter)
        if digit is None or shift >= _MOST_BITS:
            raise GapsError(say("must be as ngxlab mix --replay writes it"))
        value |= (digit & 31) << shift
        if digit & 32:
            shift += 5
        else:
            found.append(value)
            value = shift = 0
    if shift:
        raise GapsError(say("ends within a number: it is cut off"))
    if len(found) > MOST_GAPS:
        message = "has {count:,} requests; at most {most:,} can be replayed"
        raise GapsError(say(message, count=len(found), most=MOST_GAPS))
    if not 0 < sum(found) <= LONGEST_S * TICKS_PER_S:
        message = "lasts {seconds:g} s; it must be more than 0 and at most {most:,} s"
        raise GapsError(say(message, seconds=sum(found) / TICKS_PER_S, most=LONGEST_S))
    return tuple(found)


def mean_per_s(text: str, speed: float) -> float:
    """Requests a second, so many times as fast. Raises ``GapsError``."""
    ticks = ticks_of(text)
    return len(ticks) / sum(ticks) * TICKS_PER_S * speed
