"""Why a claim says what it says: the function, or the phase of a request, that accounts for the difference.

Nothing is a cause since it changed, too. A profile accounts for a difference where the CPU time that it found is, by
arithmetic, most of the difference: of the CPU time itself; of a rate or a latency where nginx's workers are at their
limit; of a latency, as time. So do the phases of requests. Whatever else changed "goes with" it.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ngxlab_contracts.sentences import Sentence, fixed, listed, say

from ngxlab.analysis import phases, profiles
from ngxlab.analysis.phases import ArmPhases, PhaseDifference
from ngxlab.analysis.profiles import ArmProfile, FrameClaim
from ngxlab.analysis.schemas import (
    ArmAnalysis,
    Comparison,
    MetricInfo,
    MetricKey,
    RunAnalysis,
    VerdictSentence,
    Why,
    WhyEvidence,
)
from ngxlab.analysis.schemas.trial import Resource
from ngxlab.analysis.verdict import numbers

_RATES = frozenset({"requests_per_s", "capacity_per_s", "plateau_per_s"})
_LATENCIES: Mapping[MetricKey, float | None] = {
    "latency_mean_us": None,
    "latency_p50_us": 0.5,
    "latency_p99_us": 0.99,
}
"""With the share of the requests that took no longer; ``None`` of the mean."""
_CPU: MetricKey = "cpu_s_per_1000_requests"
_EXPLAINED: frozenset[MetricKey] = frozenset({*_RATES, *_LATENCIES, _CPU})
"""What is not among them says itself what changed."""
_FOUND: frozenset[MetricKey] = frozenset({"capacity_per_s", "plateau_per_s"})
"""Rates that no plan gives, also where streams are paced."""
_WORKERS: frozenset[Resource] = frozenset({"one worker", "all workers"})
_CPU_LIMITS: frozenset[Resource] = _WORKERS | {"all CPUs of the target"}
_AT_LIMIT = 90.0
"""Percent of its time (bottleneck.cpu.BUSY)."""
_DECIDED = frozenset({"better", "worse", "higher", "lower"})
_MOST_OF, _SURELY = 0.8, 0.5
"""What accounts for a difference is so much of it (and the difference, so much of what does), and by its interval so
much at least."""
_EVERYWHERE = 0.95
"""A function that takes so much of either arm's CPU time says nothing: all is in it."""
_MOST_UNLOGGED = 20.0
"""Percent of an arm's requests: where more are in no phase, those that are do not stand for all."""
_PIECES = 3
_NOT_COUNTERS = frozenset({"throughput", "latency"})
"""Groups of metrics that say once more what the claims say."""


@dataclass(frozen=True)
class Measured:
    """What the profiles of an arm have told."""

    profile: ArmProfile | None = None
    phases: ArmPhases | None = None


@dataclass(frozen=True)
class _Pair:
    """An arm and the baseline. ``paced``: the load's rate does not depend on the answers."""

    arm: ArmAnalysis
    base: ArmAnalysis
    own: Measured
    other: Measured
    paced: bool

    @property
    def is_profiled(self) -> bool:
        """Whether profiles, or phases, of both can be compared."""
        sides = (self.own.profile, self.other.profile), (self.own.phases, self.other.phases)
        return any(a is not None and b is not None and min(len(a.trials), len(b.trials)) > 1 for a, b in sides)


class _Claimed(NamedTuple):
    """What a claim says: the means of the arm and of the baseline."""

    metric: MetricKey
    own: float
    base: float

    @property
    def is_slower(self) -> bool:
        return (self.own > self.base) != (self.metric in _RATES)

    def share_as_ratio(self, own: float, base: float) -> float:
        """How much of the claim's ratio this ratio is."""
        return abs(math.log(own / base) / math.log(self.own / self.base)) if own > 0 and base > 0 else 0.0


class _Cause(NamedTuple):
    text: Sentence
    evidence: list[WhyEvidence]


def is_explained(claim: VerdictSentence) -> bool:
    """Whether anything is said of why."""
    return claim.stream is None and claim.verdict in _DECIDED and claim.metric in _EXPLAINED


def whys(analysis: RunAnalysis, measured: Mapping[str, Measured], *, paced: bool) -> list[Why]:
    """Of each arm, why its decided claims on rates, latencies and CPU time say what they say, in the claims' order.
    Claims for which the same is said are together. ``measured``: by arm, as far as there is anything."""
    arms = {arm.key: arm for arm in analysis.arms}
    infos = {info.key: info for info in analysis.metrics}
    base, nothing = arms[analysis.baseline], Measured()
    said: dict[str, list[MetricKey]] = {}
    for one in analysis.statements:
        if is_explained(one):
            said.setdefault(one.arm, []).append(one.metric)
    found: list[Why] = []
    for key, metrics in said.items():
        pair = _Pair(arms[key], base, measured.get(key, nothing), measured.get(base.key, nothing), paced)
        found += _of_arm(pair, metrics, infos)
    return found


def _of_arm(pair: _Pair, metrics: Sequence[MetricKey], infos: Mapping[MetricKey, MetricInfo]) -> list[Why]:
    causes = _causes(pair)
    together: dict[str, Why] = {}
    for metric in metrics:
        claimed = _claimed(pair, metric)
        cause = next((one for of in causes if claimed is not None and (one := of(claimed)) is not None), None)
        why = _why(pair, metric, cause, infos)
        same = together.get(key := why.evidence[0].key if cause is not None else why.text)
        fullest = why if same is None or len(why.evidence) > len(same.evidence) else same
        said_of = [*(same.metrics if same is not None else ()), metric]
        together[key] = fullest.model_copy(update={"metrics": said_of})
    return list(together.values())


def _claimed(pair: _Pair, metric: MetricKey) -> _Claimed | None:
    own, base = (next((one.mean for one in arm.metrics if one.metric == metric), None) for arm in (pair.arm, pair.base))
    if own is None or base is None or min(own, base) <= 0 or own == base:
        return None
    return _Claimed(metric, own, base)


def _why(pair: _Pair, metric: MetricKey, cause: _Cause | None, infos: Mapping[MetricKey, MetricInfo]) -> Why:
    others = list(_changed(pair, metric, infos))
    if cause is not None:
        pieces = [*cause.evidence, *(one for one in others if one.key == _CPU)][:_PIECES]
        return Why(arm=pair.arm.key, metrics=[], found="cause", text=cause.text, evidence=pieces)
    with_it = [_goes_with(pair.arm.label, others[:_PIECES])] if others else []
    if pair.is_profiled:
        none = say("No cause found: nothing that was profiled accounts for `{arm}`.", arm=pair.arm.label)
        text = listed([none, *with_it], " ")
        return Why(arm=pair.arm.key, metrics=[], found="no_cause", text=text, evidence=others[:_PIECES])
    nothing = say("Of nginx, its workers, disk and host, nothing is said to change with `{arm}`.", arm=pair.arm.label)
    text = next(iter(with_it), nothing)
    return Why(arm=pair.arm.key, metrics=[], found="not_profiled", text=text, evidence=others[:_PIECES])


def _goes_with(label: str, changed: Sequence[WhyEvidence]) -> Sentence:
    return say("`{arm}` goes with: {changes}.", arm=label, changes=listed((one.text for one in changed), "; "))


def _causes(pair: _Pair) -> list[Callable[[_Claimed], _Cause | None]]:
    """The profile first: of a worker at its limit, other phases grow, too."""
    return [*_by_cpu(pair), *_by_phase(pair)]


# By CPU time.


def _by_cpu(pair: _Pair) -> Iterator[Callable[[_Claimed], _Cause | None]]:
    own, other = pair.own.profile, pair.other.profile
    if own is None or other is None:
        return
    mine, theirs = own.cpu_us_per_request, other.cpu_us_per_request
    inner = profiles.accounts_for(own, other, profiles.compare(own, other))
    if inner is None or mine is None or theirs is None:
        return
    surely = inner.low if mine > theirs else inner.high
    if surely / (mine - theirs) < _SURELY or not profiles.differ(own, other):
        return
    if inner.difference / (mine - theirs) > 1 / _MOST_OF:
        return

    def cause(claimed: _Claimed) -> _Cause | None:
        found, least = (_share_by_cpu(pair, claimed, one, theirs) for one in (mine, theirs + surely))
        is_most = _MOST_OF <= found <= 1 / _MOST_OF and least >= _SURELY
        return _cpu_cause(pair, claimed, inner, (mine, theirs)) if is_most else None

    yield cause


def _share_by_cpu(pair: _Pair, claimed: _Claimed, own: float, base: float) -> float:
    """How much of a claim is explained by requests that cost so many microseconds of CPU time."""
    if own <= 0 or base <= 0 or claimed.is_slower != (own > base):
        return 0.0
    if claimed.metric == _CPU:
        return (own - base) / (1000 * (claimed.own - claimed.base))
    slow, fast = (pair.arm, pair.base) if claimed.is_slower else (pair.base, pair.arm)
    if _is_limited(slow):
        ratio = max(own, base) / min(own, base)
        is_pushed = pair.paced and claimed.metric not in _FOUND and _is_pushed(slow, fast, ratio)
        return 1.0 if is_pushed else claimed.share_as_ratio(own, base)
    return (own - base) / (claimed.own - claimed.base) if claimed.metric in _LATENCIES else 0.0


def _is_limited(arm: ArmAnalysis) -> bool:
    return arm.bottleneck is not None and arm.bottleneck.resource in _CPU_LIMITS


def _is_pushed(slow: ArmAnalysis, fast: ArmAnalysis, ratio: float) -> bool:
    """Whether so many times the CPU time a request, and nothing else, brings what ``fast`` used to its limit."""
    if slow.bottleneck is None or fast.bottleneck is None or _is_limited(fast):
        return False
    same = _WORKERS if slow.bottleneck.resource in _WORKERS else {slow.bottleneck.resource}
    used = (one.utilisation_percent or 0 for one in fast.bottleneck.resources if one.resource in same)
    return ratio * max(used, default=0.0) >= _AT_LIMIT


def _cpu_cause(pair: _Pair, claimed: _Claimed, inner: FrameClaim, cpu: tuple[float, float]) -> _Cause:
    mine, theirs = cpu
    template = _CPU_TEMPLATES[mine > theirs, inner.arm >= _EVERYWHERE * mine and inner.other >= _EVERYWHERE * theirs]
    text = say(
        template,
        arm=pair.arm.label,
        other=pair.base.label,
        size=_time(abs(mine - theirs)),
        share=min(100.0, 100 * inner.difference / (mine - theirs)),
        function=inner.frame.name,
    )
    piece = say(
        "{function}: {difference:+,.1f} µs a request ({low:+,.1f} to {high:+,.1f})",
        function=inner.frame.name,
        difference=inner.difference,
        low=inner.low,
        high=inner.high,
    )
    evidence = [WhyEvidence(kind="function", key=inner.frame.name, text=piece)]
    slow = pair.arm if claimed.is_slower else pair.base
    if claimed.metric != _CPU and _is_limited(slow) and slow.bottleneck is not None:
        at_limit = say("With `{arm}` {evidence}.", arm=slow.label, evidence=slow.bottleneck.evidence)
        evidence.append(WhyEvidence(kind="limit", key=str(slow.bottleneck.resource), text=slow.bottleneck.evidence))
        return _Cause(listed([text, at_limit], " "), evidence)
    return _Cause(text, evidence)


_CPU_TEMPLATES = {
    (True, False): "Why: with `{arm}` a request costs {size} more CPU time than with `{other}`, {share:.0f} % of it in "
    "{function}.",
    (False, False): "Why: with `{arm}` a request costs {size} less CPU time than with `{other}`, {share:.0f} % of it "
    "in {function}.",
    (True, True): "Why: with `{arm}` a request costs {size} more CPU time than with `{other}`, in no function more "
    "than in others.",
    (False, True): "Why: with `{arm}` a request costs {size} less CPU time than with `{other}`, in no function more "
    "than in others.",
}
"""By whether the arm costs more, and whether the function is one that everything is in."""


def _time(us: float) -> Sentence:
    """``12.1 ms``, ``412.0 µs``."""
    return numbers.in_unit(f"{us / 1000:,.1f}", "ms") if us >= 1000 else numbers.in_unit(f"{us:,.1f}", "µs")


# By the phases of requests.


def _by_phase(pair: _Pair) -> Iterator[Callable[[_Claimed], _Cause | None]]:
    own, other = pair.own.phases, pair.other.phases
    if own is None or other is None or max(own.unlogged_percent or 0, other.unlogged_percent or 0) > _MOST_UNLOGGED:
        return
    share = phases.accounts_for(own, other)
    if share is None or share.share > 1 / _MOST_OF:
        return
    found = phases.compare(own, other)
    differs, whole = found[share.part], found[phases.WHOLE]
    q_of = _LATENCIES

    def cause(claimed: _Claimed) -> _Cause | None:
        if claimed.is_slower != (whole.difference > 0):
            return None
        if claimed.metric in q_of:
            part = _part_ms(own, share.part, q_of[claimed.metric]) - _part_ms(other, share.part, q_of[claimed.metric])
            explained = 1000 * part / (claimed.own - claimed.base)
        elif claimed.metric in _RATES and not pair.paced:
            explained = claimed.share_as_ratio(own.mean_ms(phases.WHOLE), other.mean_ms(phases.WHOLE))
        else:
            return None
        is_most = _MOST_OF <= explained <= 1 / _MOST_OF
        return _phase_cause(pair, share, differs, whole) if is_most else None

    yield cause


def _part_ms(arm: ArmPhases, part: phases.Part, share: float | None) -> float:
    return arm.mean_ms(part) if share is None else arm.percentile_ms(part, share)


def _phase_cause(pair: _Pair, share: phases.Share, differs: PhaseDifference, whole: PhaseDifference) -> _Cause:
    name = phases.NAMES[share.part]
    text = say(
        "Why: by nginx’s log a request takes {size} longer with `{arm}` than with `{other}`, {share:.0f} % of it in "
        "{phase}."
        if whole.difference > 0
        else "Why: by nginx’s log a request takes {size} less with `{arm}` than with `{other}`, {share:.0f} % of it in "
        "{phase}.",
        arm=pair.arm.label,
        other=pair.base.label,
        size=_time(1000 * abs(whole.difference)),
        share=min(100.0, 100 * share.share),
        phase=name,
    )
    piece = say(
        "{phase}: {difference:+,.2f} ms ({low:+,.2f} to {high:+,.2f})",
        phase=name,
        difference=differs.difference,
        low=differs.low,
        high=differs.high,
    )
    return _Cause(text, [WhyEvidence(kind="phase", key=share.part, text=piece)])


# What changed, too.


def _changed(pair: _Pair, claimed: MetricKey, infos: Mapping[MetricKey, MetricInfo]) -> Iterator[WhyEvidence]:
    """Metrics of nginx, its workers, disk and host that are said to differ, the clearest first. Their words are chosen
    together: of those that are said, at most 5 % are expected not to differ (docs/method.md)."""
    found = [
        (one.comparison, infos[one.metric])
        for one in pair.arm.metrics
        if one.comparison is not None
        and one.comparison.verdict in _DECIDED
        and one.metric != claimed
        and infos[one.metric].group not in _NOT_COUNTERS
    ]
    for comparison, info in sorted(found, key=lambda one: -_clearness(one[0])):
        change = fixed(comparison.text)
        if comparison.scale == "difference":
            change = numbers.in_unit(comparison.text, info.unit)
        words = {"metric": fixed(info.title), "change": change}
        interval = comparison.ci_text
        text = say("{metric} {change} ({interval})", **words, interval=interval) if interval else None
        yield WhyEvidence(kind="metric", key=info.key, text=text or say("{metric} {change}", **words))


def _clearness(comparison: Comparison) -> float:
    """How many half widths of its interval a difference is."""
    low, high, estimate = comparison.ci_low, comparison.ci_high, comparison.estimate
    if low is None or high is None:
        return 0.0
    if comparison.scale == "ratio":
        if low <= 0 or estimate <= 0:
            return 0.0
        low, high, estimate = math.log(low), math.log(high), math.log(estimate)
    return abs(estimate) / max((high - low) / 2, 1e-12)
