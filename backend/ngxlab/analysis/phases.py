"""Where the time of an arm's requests goes, by the phases that nginx logged, and what differs between two arms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np
from ngxlab_contracts.profiles import PhaseName, Phases, PhaseTimes
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_verdict import FALSE_DISCOVERIES, Timed, mean_differences
from ngxlab_verdict.design import Floats

from ngxlab.analysis.shares import MOST_OF, SURELY, Bounds, Sides, share_of

Part = PhaseName | Literal["whole"]
WHOLE: Part = "whole"
PHASES: tuple[PhaseName, ...] = get_args(PhaseName)
NAMES: Mapping[PhaseName, Sentence] = {
    "open": say("opening the connection"),
    "read": say("reading the request"),
    "connect": say("connecting to the upstream server"),
    "first_byte": say("waiting for the upstream server’s first byte"),
    "body": say("reading the rest of the upstream server’s answer"),
    "write": say("all else within nginx: its own work, limits and subrequests, writing the response"),
}
_ROUNDING_MS2 = 1 / 12
"""The variance of what nginx cuts off a time."""


@dataclass(frozen=True)
class ArmPhases:
    """The trials of an arm that logged requests, at least one. ``served``: the requests that nginx counted meanwhile;
    ``None`` where that is not known."""

    trials: Sequence[Phases]
    served: float | None = None

    @property
    def requests(self) -> int:
        return sum(trial.requests for trial in self.trials)

    @property
    def unlogged_percent(self) -> float | None:
        """Of the requests that nginx served, those that it did not log: with a log of their own, or not ended."""
        return 100 * max(0.0, 1 - self.requests / self.served) if self.served else None

    @cached_property
    def parts(self) -> list[Part]:
        """The phases that all its trials tell, and the whole."""
        return [*(name for name in PHASES if all(name in trial.phases for trial in self.trials)), WHOLE]

    def mean_ms(self, part: Part) -> float:
        """Milliseconds of a request: the mean of its trials. Those of all phases add up to that of the whole."""
        return float(np.mean([_mean(trial, part) for trial in self.trials]))

    def percentile_ms(self, part: Part, share: float) -> float:
        """The mean of its trials' percentiles; of each, ``share`` of its requests took no longer."""
        return float(np.mean([_percentile(_times(trial, part), share) for trial in self.trials]))

    def timed(self, parts: Sequence[Part]) -> Timed:
        means = [[_mean(trial, part) for part in parts] for trial in self.trials]
        return Timed(np.array(means), np.array([[_variance(trial, part) for part in parts] for trial in self.trials]))


class PhaseDifference(NamedTuple):
    """In milliseconds of a request, with the interval."""

    difference: float
    low: float
    high: float
    claimed: bool


def compare(arm: ArmPhases, other: ArmPhases) -> dict[Part, PhaseDifference]:
    """Of each phase that both tell, and of the whole, which is judged by itself. Empty with one trial of either, of
    which nobody knows how much it scatters."""
    if min(len(arm.trials), len(other.trials)) < 2:
        return {}
    common = [part for part in arm.parts if part in other.parts]
    return _judged(arm, other, common[:-1]) | _judged(arm, other, common[-1:])


def _judged(arm: ArmPhases, other: ArmPhases, parts: Sequence[Part]) -> dict[Part, PhaseDifference]:
    found = mean_differences(arm.timed(parts), other.timed(parts))
    columns = (found.difference, found.low, found.high, found.q <= FALSE_DISCOVERIES)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {part: PhaseDifference(*row) for part, row in zip(parts, rows, strict=True)}


class Share(NamedTuple):
    """How much of a difference is in a phase."""

    part: PhaseName
    bounds: Bounds

    @property
    def share(self) -> float:
        return self.bounds.share


def accounts_for(arm: ArmPhases, other: ArmPhases) -> Share | None:
    """The phase that most of the difference of the whole is in; ``None`` where none surely is, or nothing differs."""
    found = compare(arm, other)
    if WHOLE not in found or not found[WHOLE].claimed:
        return None
    whole = found[WHOLE].difference
    said_to = [part for part in PHASES if part in found and found[part].claimed]
    most = max(said_to, key=lambda part: found[part].difference / whole, default=None)
    if most is None or found[most].difference / whole < MOST_OF:
        return None
    own, rest = (Sides(_rest(arm, most, is_rest=of), _rest(other, most, is_rest=of)) for of in (False, True))
    bounds = share_of(own, rest, 1.0 if whole > 0 else -1.0)
    return Share(most, bounds) if bounds.low >= SURELY else None


def _rest(arm: ArmPhases, part: PhaseName, *, is_rest: bool) -> Timed:
    """Of a phase, or of all but it."""
    parts: list[Part] = [part, WHOLE]
    timed = arm.timed(parts)
    if not is_rest:
        return Timed(timed.means[:, :1], timed.variances[:, :1])
    return Timed(timed.means[:, 1:] - timed.means[:, :1], np.zeros_like(timed.variances[:, 1:]))


def sentence(arm: ArmPhases, other: ArmPhases, name: str) -> Sentence | None:
    """What may be said in a line; ``None`` where nothing may."""
    found = compare(arm, other)
    if WHOLE not in found or not found[WHOLE].claimed:
        return None
    whole = found[WHOLE].difference
    share = accounts_for(arm, other)
    if share is None:
        return say(
            "{arm}: by nginx’s log a request takes {whole:+,.2f} ms, which no single phase accounts for.",
            arm=name,
            whole=whole,
        )
    return say(
        "{arm}: by nginx’s log a request takes {whole:+,.2f} ms, {share:.0f} % of it ({low:.0f} % at least) in "
        "{phase}.",
        arm=name,
        whole=whole,
        share=100 * share.share,
        low=100 * share.bounds.low,
        phase=NAMES[share.part],
    )


def _times(trial: Phases, part: Part) -> PhaseTimes:
    return trial.whole if part == "whole" else trial.phases[part]


def _mean(trial: Phases, part: Part) -> float:
    return _times(trial, part).sum_ms / trial.requests


def _variance(trial: Phases, part: Part) -> float:
    """Of a trial's mean, by the scatter of its requests."""
    times = _times(trial, part)
    ms, counts = np.array(times.ms, np.float64), np.array(times.counts, np.float64)
    mean = np.average(ms, weights=counts)
    return float((np.average((ms - mean) ** 2, weights=counts) + _ROUNDING_MS2) / trial.requests)


def _percentile(times: PhaseTimes, share: float) -> float:
    counts: Floats = np.cumsum(np.array(times.counts, np.float64))
    return float(times.ms[int(np.searchsorted(counts, share * counts[-1]))])
