"""When the requests of a log came: the gaps between them, as a replay has them.

The browser makes the same of the same log (``frontend/src/domain/mix/gaps.ts``); the server reads them
(``backend/contracts/ngxlab_contracts/gaps.py``).
"""

import math
from dataclasses import dataclass, field
from itertools import pairwise
from string import ascii_letters, digits

from ngxlab_cli.mix.access_log import Line, seconds_of
from ngxlab_cli.mix.hashes import HASHES, hash_of

TICKS_PER_S = 10_000
MOST_ARRIVALS = 100_000
_LONGEST_S = 86_400
_LETTERS = ascii_letters[26:] + ascii_letters[:26] + digits + "+/"


@dataclass
class Arrivals:
    """Instants in seconds after the first line's time. nginx logs a request at its end and cuts the time off to whole
    seconds, or milliseconds: a request came ``$request_time`` before, where the format has it, and at an instant
    within that second which is drawn evenly, as those of people who know nothing of each other are."""

    instants: list[float] = field(default_factory=list)
    first: float | None = None
    beyond: int = 0

    def add(self, line: Line) -> None:
        if len(self.instants) == MOST_ARRIVALS:
            self.beyond += 1
            return
        seconds = seconds_of(line.time)
        if seconds is None:
            return
        if self.first is None:
            self.first = seconds
        resolution = 0.001 if "." in line.time else 1.0
        place = hash_of(str(len(self.instants))) / HASHES
        self.instants.append(seconds - self.first + place * resolution - (line.took or 0.0))

    @property
    def ticks(self) -> list[int] | None:
        """The gaps in the order of the instants; the last one, to the first of the next round, is as the mean. ``None``
        where all came at once, or took more than a day."""
        instants = sorted(self.instants)
        places = [math.floor((instant - instants[0]) * TICKS_PER_S + 0.5) for instant in instants]
        if len(places) < 2 or places[-1] == 0:
            return None
        gaps = [later - earlier for earlier, later in pairwise(places)]
        gaps.append(max(1, places[-1] // len(gaps)))
        return gaps if sum(gaps) <= _LONGEST_S * TICKS_PER_S else None


def text_of(ticks: list[int]) -> str:
    """Base 64, five bits a letter from the lowest on, 32 where another letter follows."""
    return "".join(map(_number, ticks))


def _number(ticks: int) -> str:
    letters = ""
    while ticks > 31:
        letters += _LETTERS[ticks & 31 | 32]
        ticks >>= 5
    return letters + _LETTERS[ticks]
