"""Where the CPU time of an arm goes: the profiles of its trials as one, and what differs between two arms."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from ngxlab_contracts.profiles import MOST_CALLS, Profile
from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_verdict import FALSE_DISCOVERIES, Sampled, differences
from ngxlab_verdict.design import Floats

from ngxlab.analysis.shares import MOST_OF

KERNEL = "kernel"
_KERNEL_SUFFIX = "_[k]"
"""How folded stacks mark a function of the kernel, which flame graphs colour by it."""
_NGINX = "nginx"
MOST_STACKS = MOST_CALLS
"""Of an arm: as many as a trial can tell, so that profiles which share nothing take no more memory than one."""
Kind = Literal["self", "total"]


class Frame(NamedTuple):
    name: str
    module: str


Stack = tuple[Frame, ...]
"""From the outermost function on."""


@dataclass(frozen=True)
class TrialProfile:
    """``requests``: those that nginx served while it was sampled. ``cpu_s``: what the kernel accounted to it then."""

    profile: Profile
    requests: float
    cpu_s: float | None

    @property
    def samples(self) -> int:
        return sum(self.profile.samples)

    @property
    def weight(self) -> float:
        """Samples that stand for one microsecond a request."""
        return self.profile.hz * self.requests / 1e6

    def stacks(self) -> Iterator[tuple[Stack, int]]:
        """Each with its samples, one at a time: all of them may be a hundred times as large as the tree."""
        told = self.profile
        frames = [Frame(*pair) for pair in zip(told.frames, told.modules, strict=True)]
        for innermost, samples in enumerate(told.samples):
            if not samples:
                continue
            path, node = [], innermost
            while node >= 0:
                path.append(frames[told.calls[node]])
                node = told.parents[node]
            yield tuple(reversed(path)), samples

    def by_frame(self, kind: Kind) -> Counter[Frame]:
        """Samples while a function ran itself, or with all that it called."""
        found: Counter[Frame] = Counter()
        for stack, samples in self.stacks():
            for frame in {stack[-1]} if kind == "self" else set(stack):
                found[frame] += samples
        return found


@dataclass(frozen=True)
class ArmProfile:
    """The profiles of an arm, at least one."""

    trials: Sequence[TrialProfile]

    @cached_property
    def stacks(self) -> Counter[Stack]:
        """Samples by stack. Where there are very many, those of the rarest count for their outermost function."""
        merged: Counter[Stack] = Counter()
        for trial in self.trials:
            for stack, samples in trial.stacks():
                merged[stack] += samples
            for stack, samples in merged.most_common()[MOST_STACKS:]:
                del merged[stack]
                merged[stack[:1]] += samples
        return merged

    @property
    def samples(self) -> int:
        return sum(trial.samples for trial in self.trials)

    @property
    def requests(self) -> float:
        return sum(trial.requests for trial in self.trials)

    @property
    def cpu_s(self) -> float:
        """What the samples stand for."""
        return sum(trial.samples / trial.profile.hz for trial in self.trials)

    @property
    def worker_cpu_s(self) -> float | None:
        known = [trial.cpu_s for trial in self.trials if trial.cpu_s is not None]
        return sum(known) if len(known) == len(self.trials) else None

    @property
    def cpu_us_per_request(self) -> float | None:
        return 1e6 * self.cpu_s / self.requests if self.requests > 0 else None

    def per_request(self, count: str) -> float | None:
        """A count of ``KernelCounts``; ``None`` where a trial does not tell it, or no request was counted."""
        told = [trial.profile.counts for trial in self.trials]
        values = [getattr(one, count) for one in told if one is not None]
        if len(values) < len(told) or None in values or self.requests <= 0:
            return None
        return float(sum(values) / self.requests)

    @property
    def unresolved_percent(self) -> float:
        return 100 * sum(trial.profile.unresolved for trial in self.trials) / max(1, self.samples)


def folded(stacks: Counter[Stack]) -> str:
    """A line a stack, as flame graphs are drawn of: names from the outermost on, and samples."""
    lines = (f"{';'.join(map(_folded_name, stack))} {samples}" for stack, samples in stacks.most_common())
    return "".join(f"{line}\n" for line in lines)


def _folded_name(frame: Frame) -> str:
    name = frame.name.replace(";", ":")
    return name + _KERNEL_SUFFIX if frame.module == KERNEL else name


class FrameClaim(NamedTuple):
    """Microseconds of CPU time a request: of the arm, of the other one, and the difference with its interval."""

    frame: Frame
    kind: Kind
    arm: float
    other: float
    difference: float
    low: float
    high: float
    q: float

    @property
    def claimed(self) -> bool:
        return self.q <= FALSE_DISCOVERIES


_MOST_SHOWN = 500


def compare(arm: ArmProfile, other: ArmProfile) -> list[FrameClaim]:
    """What differs first, by size. Empty where the scatter of either is unknown: one trial, or no requests."""
    if min(len(arm.trials), len(other.trials)) < 2 or not all(one.weight > 0 for one in (*arm.trials, *other.trials)):
        return []
    counts = {kind: [trial.by_frame(kind) for trial in (*arm.trials, *other.trials)] for kind in _KINDS}
    keys = list(_family(counts))
    samples = np.array(
        [[counts[kind][place][frame] for frame, kind in keys] for place in range(len(arm.trials) + len(other.trials))],
        np.float64,
    )
    mine, theirs = _sampled(arm, samples[: len(arm.trials)]), _sampled(other, samples[len(arm.trials) :])
    found = differences(mine, theirs)
    columns = (mine.per_request, theirs.per_request, found.difference, found.low, found.high, found.q)
    rows = zip(keys, *(column.tolist() for column in columns), strict=True)
    claims = [FrameClaim(*key, *values) for key, *values in rows]
    return sorted(claims, key=lambda claim: (not claim.claimed, -abs(claim.difference)))[:_MOST_SHOWN]


_KINDS: tuple[Kind, ...] = ("self", "total")


def _family(counts: dict[Kind, list[Counter[Frame]]]) -> Iterable[tuple[Frame, Kind]]:
    """Each function once alone, and once with what it calls where that is more."""
    for frame in sorted({frame for counted in counts["total"] for frame in counted}):
        own = [counted[frame] for counted in counts["self"]]
        whole = [counted[frame] for counted in counts["total"]]
        if any(own):
            yield frame, "self"
        if own != whole:
            yield frame, "total"


def _sampled(side: ArmProfile, samples: Floats) -> Sampled:
    every = np.array([trial.samples for trial in side.trials], np.float64)
    return Sampled(samples, every, np.array([trial.weight for trial in side.trials], np.float64))


def differ(arm: ArmProfile, other: ArmProfile) -> bool:
    """Whether all functions together are said to take more or less CPU time a request."""
    mine, theirs = (
        _sampled(one, np.array([[trial.samples] for trial in one.trials], np.float64)) for one in (arm, other)
    )
    return bool(differences(mine, theirs).q[0] <= FALSE_DISCOVERIES)


def accounts_for(arm: ArmProfile, other: ArmProfile, claims: Sequence[FrameClaim]) -> FrameClaim | None:
    """The innermost named function that most of the difference is in, with what it calls; ``None`` where none is."""
    mine, theirs = arm.cpu_us_per_request, other.cpu_us_per_request
    if mine is None or theirs is None or mine == theirs:
        return None
    whole = mine - theirs
    most = [claim for claim in claims if claim.claimed and claim.difference / whole >= MOST_OF]
    return min(most, key=lambda claim: (claim.frame.name.startswith("["), max(claim.arm, claim.other)), default=None)


@dataclass(frozen=True)
class Account:
    """What most of a difference is in: one function, or several of which none calls another. ``below``: the outermost
    function that the one has nearly all of its cost from, and that says what it is done for."""

    claims: Sequence[FrameClaim]
    below: Frame | None = None

    @property
    def difference(self) -> float:
        return sum(one.difference for one in self.claims)

    @property
    def low(self) -> float:
        return sum(one.low for one in self.claims)

    @property
    def high(self) -> float:
        return sum(one.high for one in self.claims)

    @property
    def key(self) -> str:
        return self.claims[0].frame.name

    @property
    def text(self) -> Sentence:
        """``deflate, below ngx_http_gzip_body_filter``; of several, what each takes."""
        if len(self.claims) > 1:
            each = (
                say("{function} ({difference:+,.1f} µs)", function=c.frame.name, difference=c.difference)
                for c in self.claims
            )
            return listed(each, ", ")
        if self.below is not None:
            return say("{function}, below {caller}", function=self.key, caller=self.below.name)
        return say("{function}", function=self.key)


_MOST_TOGETHER = 3
_ELSEWHERE = 0.25
"""Of a difference: what a function that tells something costs in the other arm, at most."""
_LEAST_PART = 0.1
"""Of a difference: functions of less are not named."""


EVERYWHERE = 0.95
"""A function that takes so much of either arm's CPU time says nothing: all is in it."""


def account(arm: ArmProfile, other: ArmProfile, claims: Sequence[FrameClaim]) -> Account | None:
    """The innermost function that most of the difference is in, if it says more than where all is done anyway; else up
    to three that make it up together, of which some may cost less; else that function all the same."""
    inner = accounts_for(arm, other, claims)
    sides = arm.cpu_us_per_request, other.cpu_us_per_request
    if inner is None or sides[0] is None or sides[1] is None:
        return None
    telling = [one for one in claims if _tells(one, sides[0], sides[1])]
    if inner in telling:
        return Account([inner], _entry((arm, other), telling, inner))
    return Account(_together((arm, other), telling, sides[0] - sides[1]) or [inner])


def _tells(claim: FrameClaim, own: float, others: float) -> bool:
    """A function that costs much in the other arm, too, or that everything is in, says only where the work is done.
    ``own``, ``others``: what all functions cost a request."""
    is_all = claim.arm >= EVERYWHERE * own and claim.other >= EVERYWHERE * others
    is_named = not claim.frame.name.startswith("[")
    is_its_own = min(claim.arm, claim.other) <= _ELSEWHERE * abs(claim.difference)
    return claim.claimed and is_named and is_its_own and not is_all


def _entry(sides: Sequence[ArmProfile], telling: Sequence[FrameClaim], inner: FrameClaim) -> Frame | None:
    """The outermost of nginx's functions that calls ``inner``, however far above it."""
    callers = _callers(sides, inner.frame)
    above = [one for one in telling if one.frame in callers and one.frame.module == _NGINX]
    return max(above, key=lambda one: max(one.arm, one.other)).frame if above else None


def _together(sides: Sequence[ArmProfile], telling: Sequence[FrameClaim], whole: float) -> list[FrameClaim]:
    picked: list[FrameClaim] = []
    callers: dict[Frame, set[Frame]] = {}
    for claim in sorted(telling, key=lambda one: -abs(one.difference)):
        share = sum(one.difference for one in picked) / whole
        is_enough = MOST_OF <= share <= 1 / MOST_OF
        if len(picked) == _MOST_TOGETHER or is_enough or abs(claim.difference / whole) < _LEAST_PART:
            break
        above = _callers(sides, claim.frame)
        if claim.frame in callers or any(one in above or claim.frame in theirs for one, theirs in callers.items()):
            continue
        callers[claim.frame] = above
        picked.append(claim)
    share = sum(one.difference for one in picked) / whole
    return picked if MOST_OF <= share <= 1 / MOST_OF else []


def _callers(sides: Sequence[ArmProfile], inner: Frame) -> set[Frame]:
    """The functions below which most of what ``inner`` costs is."""
    whole, below = 0, Counter[Frame]()
    for side in sides:
        for stack, samples in side.stacks.items():
            if inner in stack:
                whole += samples
                for outer in set(stack[: stack.index(inner)]):
                    below[outer] += samples
    return {outer for outer, samples in below.items() if samples > whole / 2} - {inner}


def sentence(arm: ArmProfile, other: ArmProfile, claims: Sequence[FrameClaim], name: str) -> Sentence | None:
    """What may be said in a line: the difference, and the function that accounts for most of it. ``None`` where
    nothing may be said."""
    mine, theirs = arm.cpu_us_per_request, other.cpu_us_per_request
    said = [claim for claim in claims if claim.claimed]
    if mine is None or theirs is None or not said:
        return None
    whole = mine - theirs
    inner = account(arm, other, claims)
    if inner is None:
        first = said[0]
        return say(
            "{arm}: {whole:+,.1f} µs of CPU time a request; most of all {function} differs, by {part:+,.1f} µs.",
            arm=name,
            whole=whole,
            function=first.frame.name,
            part=first.difference,
        )
    return say(
        "{arm}: {whole:+,.1f} µs of CPU time a request, {share:.0f} % of it in {function}.",
        arm=name,
        whole=whole,
        share=min(100.0, 100 * inner.difference / whole),
        function=inner.text,
    )
