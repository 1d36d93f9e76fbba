"""A mix out of an access log: paths with their weights, and what answers them, in bounded memory.

The browser makes the same of the same log (``frontend/src/domain/mix/model.ts``).
"""

from bisect import insort
from collections import Counter
from dataclasses import dataclass, field

from ngxlab_cli.mix.access_log import Line, seconds_of
from ngxlab_cli.mix.arrivals import Arrivals
from ngxlab_cli.mix.hashes import HASHES, hash_of
from ngxlab_cli.mix.popularity import Popularity, popularity
from ngxlab_cli.mix.private_paths import NUMBER, stripped

MOST_ENTRIES = 10_000
"""Different requests that are counted at a time; where there are more, the rarer half is let go."""
MOST_HASHES, FEWEST_HASHES = 4096, 256
"""What stands for a number is counted exactly up to so many, and estimated beyond: within about 2 %. Once all requests
together have ``MOST_KEPT``, within about 6 % beyond the fewest."""
MOST_KEPT = 500_000


@dataclass
class Entry:
    """One kind of request. ``sizes``: the sum of whole responses' bytes, and their number. ``smallest``: the smallest
    hashes of what ``{n}`` stands for (k minimum values: Bar-Yossef et al., RANDOM 2002); ``came``: how often each did;
    ``cut``: there were others. A hash that is too large once is so for good: what is in the sample at the end was
    counted from the beginning."""

    method: str
    path: str
    first: int
    weight: int = 0
    bytes: int = 0
    sized: int = 0
    smallest: list[int] = field(default_factory=list)
    cut: bool = False
    came: dict[int, int] = field(default_factory=dict)

    @property
    def count(self) -> int | None:
        """How many numbers ``{n}`` stands for."""
        if NUMBER not in self.path:
            return None
        if not self.cut:
            return len(self.smallest)
        return (len(self.smallest) - 1) * HASHES // (self.smallest[-1] + 1)

    @property
    def popularity(self) -> Popularity | None:
        """How unequally its numbers are asked for. ``None``: alike, as far as can be told."""
        if self.count is None:
            return None
        return popularity(self.came.values(), self.weight, self.count, sampled=self.cut)

    @property
    def size(self) -> int | None:
        """Bytes of a response on average; ``None`` where none was whole."""
        return (2 * self.bytes + self.sized) // (2 * self.sized) if self.sized else None

    def add(self, line: Line, identity: str | None, most: int) -> None:
        """``most``: hashes that there is room for, unless there are more already. A sample that is cut stays as
        large as it is: what would be added has not been counted from the beginning."""
        self.weight += 1
        if line.size is not None and 200 <= line.status <= 203:
            self.bytes += line.size
            self.sized += 1
        if identity is None:
            return
        found = hash_of(identity)
        if found in self.came:
            self.came[found] += 1
            return
        if self.cut or len(self.smallest) >= most:
            self.cut = True
            if found > self.smallest[-1]:
                return
            del self.came[self.smallest.pop()]
        insort(self.smallest, found)
        self.came[found] = 1


@dataclass
class Model:
    """What was read so far. Counts are of requests; ``unread``: of lines; ``kept``: hashes of all entries."""

    requests: int = 0
    unread: int = 0
    queries: int = 0
    hidden: int = 0
    let_go: int = 0
    methods: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    times: list[str] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    arrivals: Arrivals = field(default_factory=Arrivals)
    kept: int = 0

    def add(self, line: Line | None) -> None:
        """``None``: a line that says nothing of a request."""
        found = stripped(line.uri) if line is not None else None
        if line is None or found is None:
            self.unread += 1
            return
        self.requests += 1
        self.queries += found.had_query
        self.hidden += found.identity is not None
        self.methods[line.method] += 1
        self.statuses[f"{line.status // 100}xx" if line.status else "unknown"] += 1
        if seconds_of(line.time) is not None if len(self.times) == 0 else bool(line.time):
            self.times[1:] = [line.time]
        self.arrivals.add(line)
        key = f"{line.method} {found.path}"
        entry = self.entries.get(key)
        if entry is None:
            if len(self.entries) >= MOST_ENTRIES:
                self._let_go()
            entry = self.entries[key] = Entry(line.method, found.path, self.requests)
        before = len(entry.smallest)
        entry.add(line, found.identity, MOST_HASHES if self.kept < MOST_KEPT else FEWEST_HASHES)
        self.kept += len(entry.smallest) - before

    def most(self, count: int) -> list[Entry]:
        """The most frequent requests; of equals, those that came first."""
        return sorted(self.entries.values(), key=lambda one: (-one.weight, one.first))[:count]

    @property
    def per_s(self) -> float | None:
        """Requests a second, from the first to the last; ``None`` where times are missing or alike."""
        seconds = [seconds_of(time) for time in (self.times[0], self.times[-1])] if self.times else [None, None]
        if seconds[0] is None or seconds[1] is None or seconds[1] <= seconds[0]:
            return None
        return self.requests / (seconds[1] - seconds[0])

    def _let_go(self) -> None:
        kept = self.most(MOST_ENTRIES // 2)
        self.let_go += sum(one.weight for one in self.entries.values()) - sum(one.weight for one in kept)
        self.entries = {f"{one.method} {one.path}": one for one in kept}
        self.kept = sum(len(one.smallest) for one in kept)
