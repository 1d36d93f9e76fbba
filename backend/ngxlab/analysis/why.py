"""Why a claim says what it says: the function, or the phase of a request, that accounts for the difference.

Nothing is a cause since it changed, too. A profile accounts for a difference where the CPU time that it found is, by
arithmetic, most of the difference: of the CPU time itself; of a rate or a latency where nginx's workers are at their
limit; of a latency, as time. So do the phases of requests, the time for which workers were blocked, and, of memory, how
many connections were held. Whatever else changed "goes with" it.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from ngxlab_contracts.sentences import Sentence, fixed, listed, say

from ngxlab.analysis import blocking, phases, profiles
from ngxlab.analysis.held import HELD, MEMORY, held_share, holds_another_number, without_cause
from ngxlab.analysis.phases import ArmPhases, PhaseDifference
from ngxlab.analysis.profiles import EVERYWHERE, Account, ArmProfile, FrameClaim
from ngxlab.analysis.schemas import (
    ArmAnalysis,
    ArmMetric,
    Comparison,
    MetricInfo,
    MetricKey,
    RunAnalysis,
    VerdictSentence,
    Why,
    WhyEvidence,
)
from ngxlab.analysis.schemas.trial import Resource
from ngxlab.analysis.shares import MOST_OF as _MOST_OF
from ngxlab.analysis.shares import SURELY as _SURELY
from ngxlab.analysis.verdict import numbers

_RATES = frozenset({"requests_per_s", "capacity_per_s", "plateau_per_s"})
_LATENCIES: Mapping[MetricKey, float | None] = {
    "latency_mean_us": None,
    "latency_p50_us": 0.5,
    "latency_p99_us": 0.99,
}
"""With the share of the requests that took no longer; ``None`` of the mean."""
_CPU: MetricKey = "cpu_s_per_1000_requests"
_OF_CHURN: frozenset[MetricKey] = frozenset(
    {"churn_p50_during_us", "churn_p99_during_us", "churn_excess_latency_ms_s", "churn_recovery_s"}
)
"""Of some seconds of the window, of which nothing is profiled by itself."""
_EXPLAINED: frozenset[MetricKey] = frozenset({*_RATES, *_LATENCIES, _CPU, *_OF_CHURN, *MEMORY})
"""What is not among them says itself what changed."""
_FOUND: frozenset[MetricKey] = frozenset({"capacity_per_s", "plateau_per_s"})
"""Rates that no plan gives, also where streams are paced."""
_WORKERS: frozenset[Resource] = frozenset({"one worker", "all workers"})
_CPU_LIMITS: frozenset[Resource] = _WORKERS | {"all CPUs of the target"}
_AT_LIMIT = 90.0
"""Percent of its time (bottleneck.cpu.BUSY)."""
_DECIDED = frozenset({"better", "worse", "higher", "lower"})
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
    """An arm and the baseline. ``paced``: the rate does not depend on the answers. ``others``: all arms but it.
    ``waits_elsewhere``: requests may wait for something else than their worker."""

    arm: ArmAnalysis
    base: ArmAnalysis
    own: Measured
    other: Measured
    paced: bool
    others: Sequence[ArmAnalysis] = ()
    waits_elsewhere: bool = False

    @property
    def is_profiled(self) -> bool:
        """Whether profiles, or phases, of both can be compared."""
        sides = (self.own.profile, self.other.profile), (self.own.phases, self.other.phases)
        return any(a is not None and b is not None and min(len(a.trials), len(b.trials)) > 1 for a, b in sides)


class _Claimed(NamedTuple):
    """What a claim says: the means of the arm and of the baseline, and their values by block. ``stream``: of one alone,
    which only what all requests of a worker share accounts for."""

    metric: MetricKey
    own: float
    base: float
    own_values: Mapping[int, float] = {}
    base_values: Mapping[int, float] = {}
    stream: str | None = None

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
    return claim.verdict in _DECIDED and claim.metric in _EXPLAINED


def whys(
    analysis: RunAnalysis, measured: Mapping[str, Measured], *, paced: bool, waits_elsewhere: bool = False
) -> list[Why]:
    """Of each arm, why its decided claims on rates, latencies and CPU time say what they say, in the claims' order.
    Claims for which the same is said are together. ``measured``: by arm, as far as there is anything.
    ``waits_elsewhere``: requests may wait for an upstream server, a limit or a slow client, too."""
    arms = {arm.key: arm for arm in analysis.arms}
    infos = {info.key: info for info in analysis.metrics}
    base, nothing = arms[analysis.baseline], Measured()
    said: dict[tuple[str, str | None], list[MetricKey]] = {}
    for one in analysis.statements:
        if is_explained(one):
            said.setdefault((one.arm, one.stream), []).append(one.metric)
    found: list[Why] = []
    for (key, stream), metrics in said.items():
        others = [arm for arm in analysis.arms if arm.key != key]
        own, other = measured.get(key, nothing), measured.get(base.key, nothing)
        pair = _Pair(arms[key], base, own, other, paced, others, waits_elsewhere)
        found += _of_arm(pair, (stream, metrics), infos)
    return found


def _of_arm(
    pair: _Pair, claims: tuple[str | None, Sequence[MetricKey]], infos: Mapping[MetricKey, MetricInfo]
) -> list[Why]:
    stream, metrics = claims
    causes = _causes(pair)
    together: dict[str, Why] = {}
    for metric in metrics:
        claimed = _claimed(pair, metric, stream)
        cause = next((one for of in causes if claimed is not None and (one := of(claimed)) is not None), None)
        why = _why(pair, metric, cause, infos) if cause is not None or stream is None else _of_stream(pair, stream)
        same = together.get(key := _said_once(metric, why))
        fullest = why if same is None or len(why.evidence) > len(same.evidence) else same
        said_of = [*(same.metrics if same is not None else ()), metric]
        together[key] = fullest.model_copy(update={"metrics": said_of, "stream": stream})
    return list(together.values())


def _said_once(metric: MetricKey, why: Why) -> str:
    """Claims of one key are said together: those of one cause, but of memory each has its own bytes a connection."""
    return why.evidence[0].key if why.found == "cause" and metric not in MEMORY else why.text


def _of_stream(pair: _Pair, stream: str) -> Why:
    text = say(
        "No cause found for stream `{stream}`: profiles and phases are of all streams together. A run with this stream "
        "alone has its own.",
        stream=stream,
    )
    return Why(arm=pair.arm.key, metrics=[], found="no_cause", text=text, evidence=[])


def _claimed(pair: _Pair, metric: MetricKey, stream: str | None = None) -> _Claimed | None:
    found = [
        next((one for one in _metrics(arm, stream) if one.metric == metric), None) for arm in (pair.arm, pair.base)
    ]
    own, base = (one.mean if one is not None else None for one in found)
    if own is None or base is None or own == base or (min(own, base) <= 0 and metric not in MEMORY):
        return None
    mine, theirs = ({one.block: one.value for one in side.values} if side is not None else {} for side in found)
    return _Claimed(metric, own, base, mine, theirs, stream)


def _metrics(arm: ArmAnalysis, stream: str | None) -> Sequence[ArmMetric]:
    if stream is None:
        return arm.metrics
    return next((one.metrics for one in arm.streams if one.stream == stream), [])


def _why(pair: _Pair, metric: MetricKey, cause: _Cause | None, infos: Mapping[MetricKey, MetricInfo]) -> Why:
    others = list(_changed(pair, metric, infos))
    if cause is not None:
        pieces = [*cause.evidence, *(one for one in others if one.key == _CPU)][:_PIECES]
        return Why(arm=pair.arm.key, metrics=[], found="cause", text=cause.text, evidence=pieces)
    with_it = [_goes_with(pair.arm.label, others[:_PIECES])] if others else []
    if pair.is_profiled or metric in MEMORY | _OF_CHURN:
        text = listed([_no_cause(pair, metric), *with_it], " ")
        return Why(arm=pair.arm.key, metrics=[], found="no_cause", text=text, evidence=others[:_PIECES])
    nothing = say("Of nginx, its workers, disk and host, nothing is said to change with `{arm}`.", arm=pair.arm.label)
    text = next(iter(with_it), nothing)
    return Why(arm=pair.arm.key, metrics=[], found="not_profiled", text=text, evidence=others[:_PIECES])


_NOTHING_PROFILED = "No cause found: nothing that was profiled accounts for `{arm}`."
_CHURN_ALONE = (
    "No cause found for `{arm}`: this claim is of the seconds of the churn, and profiles and phases are of the whole "
    "window. A run that changes upstream groups all the time has them."
)


def _no_cause(pair: _Pair, metric: MetricKey) -> Sentence:
    if metric in MEMORY:
        return without_cause(metric, pair.arm, pair.base, pair.others)
    return say(_CHURN_ALONE if metric in _OF_CHURN else _NOTHING_PROFILED, arm=pair.arm.label)


def _goes_with(label: str, changed: Sequence[WhyEvidence]) -> Sentence:
    return say("`{arm}` goes with: {changes}.", arm=label, changes=listed((one.text for one in changed), "; "))


def _causes(pair: _Pair) -> list[Callable[[_Claimed], _Cause | None]]:
    """Phases last: of a worker at its limit, or one that is blocked, they grow, too."""

    def without_streams(cause: Callable[[_Claimed], _Cause | None]) -> Callable[[_Claimed], _Cause | None]:
        return lambda claimed: cause(claimed) if claimed.stream is None else None

    counted = partial(_by_blocking, pair), partial(_by_number, pair)
    return [*counted, *map(without_streams, [*_by_cpu(pair), *_by_phase(pair)])]


# By CPU time.


def _by_cpu(pair: _Pair) -> Iterator[Callable[[_Claimed], _Cause | None]]:
    own, other = pair.own.profile, pair.other.profile
    if own is None or other is None:
        return
    mine, theirs = own.cpu_us_per_request, other.cpu_us_per_request
    inner = profiles.account(own, other, profiles.compare(own, other))
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
    """How much of a claim is explained by requests that cost so many microseconds of CPU time: of memory, and of some
    seconds of the window, nothing."""
    is_of_window = claimed.metric in _RATES or claimed.metric in _LATENCIES or claimed.metric == _CPU
    if not is_of_window or own <= 0 or base <= 0 or claimed.is_slower != (own > base):
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


def _cpu_cause(pair: _Pair, claimed: _Claimed, inner: Account, cpu: tuple[float, float]) -> _Cause:
    mine, theirs = cpu
    first = inner.claims[0]
    template = _CPU_TEMPLATES[mine > theirs, first.arm >= EVERYWHERE * mine and first.other >= EVERYWHERE * theirs]
    text = say(
        template,
        arm=pair.arm.label,
        other=pair.base.label,
        size=_time(abs(mine - theirs)),
        share=100 * inner.difference / (mine - theirs),
        function=inner.text,
    )
    text = _with_the_rest(text, abs(inner.difference) - abs(mine - theirs), abs(mine - theirs))
    evidence = [WhyEvidence(kind="function", key=one.frame.name, text=_function_piece(one)) for one in inner.claims]
    slow = pair.arm if claimed.is_slower else pair.base
    if claimed.metric != _CPU and _is_limited(slow) and slow.bottleneck is not None:
        at_limit = say("With `{arm}` {evidence}.", arm=slow.label, evidence=slow.bottleneck.evidence)
        evidence.append(WhyEvidence(kind="limit", key=str(slow.bottleneck.resource), text=slow.bottleneck.evidence))
        return _Cause(listed([text, at_limit], " "), evidence)
    return _Cause(text, evidence)


def _function_piece(claim: FrameClaim) -> Sentence:
    return say(
        "{function}: {difference:+,.1f} µs a request ({low:+,.1f} to {high:+,.1f})",
        function=claim.frame.name,
        difference=claim.difference,
        low=claim.low,
        high=claim.high,
    )


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


def _with_the_rest(text: Sentence, us: float, whole_us: float) -> Sentence:
    """Where a part is more than the whole: by how much all else went against it, where the percentage shows it."""
    if us < _SEEN * whole_us:
        return text
    return listed([text, say("All else together went {size} the other way.", size=_time(us))], " ")


_SEEN = 0.005
"""Half of a percent, which is rounded up."""


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
        share=100 * share.share,
        phase=name,
    )
    whole_us = 1000 * abs(whole.difference)
    text = _with_the_rest(text, (share.share - 1) * whole_us, whole_us)
    piece = say(
        "{phase}: {difference:+,.2f} ms ({low:+,.2f} to {high:+,.2f})",
        phase=name,
        difference=differs.difference,
        low=differs.low,
        high=differs.high,
    )
    return _Cause(text, [WhyEvidence(kind="phase", key=share.part, text=piece)])


# By what workers were blocked for.


def _by_blocking(pair: _Pair, claimed: _Claimed) -> _Cause | None:
    """Of a closed loop's rate, how long its requests take is the other side; of a percentile of latency, the same
    share of the time is taken to be lost as of all requests. A request that waits for something else meanwhile loses
    nothing."""
    if pair.waits_elsewhere:
        return None
    is_rate = claimed.metric == "requests_per_s" and not pair.paced
    if not is_rate and claimed.metric not in _LATENCIES:
        return None
    own, base = (
        blocking.stretches({at: 1 / value if is_rate else value for at, value in of.items()}, arm.metrics)
        for of, arm in ((claimed.own_values, pair.arm), (claimed.base_values, pair.base))
    )
    share = blocking.blocked_share(own, base)
    if share is None or not share.is_most:
        return None
    blocked = [100 * sum(one.blocked for one in side) / len(side) for side in (own, base)]
    if min(blocked) > max(blocked) / 2:  # of workers that are blocked anyway, requests may wait for something else
        return None
    text = say(
        "Why: nginx’s workers were blocked on the disk for {own:.0f} % of the time with `{arm}`, and for {base:.0f} % "
        "with `{other}`, and a blocked worker serves nobody: that is four fifths of the difference or more, if "
        "requests of any percentile lose the same part of their time as all.",
        arm=pair.arm.label,
        other=pair.base.label,
        own=blocked[0],
        base=blocked[1],
    )
    piece = say("workers blocked on the disk: {own:.1f} %, against {base:.1f} %", own=blocked[0], base=blocked[1])
    return _Cause(text, [WhyEvidence(kind="metric", key=blocking.BLOCKED, text=piece)])


# By how many connections were held.


def _by_number(pair: _Pair, claimed: _Claimed) -> _Cause | None:
    """What each connection takes is known by the other arms: the arm's own memory is what is to be explained."""
    if claimed.metric not in MEMORY or not holds_another_number(pair.arm, pair.base):
        return None
    share = held_share(claimed.metric, pair.arm, pair.base, pair.others)
    if share is None or not share.is_most:
        return None
    text = say(
        "Why: `{arm}` holds {more:+,.0f} connections against `{other}`, and each takes {each} by the other arms: "
        "{share:.0f} % of the difference.",
        arm=pair.arm.label,
        other=pair.base.label,
        more=share.more,
        each=numbers.levels([share.each], "bytes")[0],
        share=100 * share.share,
    )
    piece = say("connections held: {more:+,.0f}", more=share.more)
    return _Cause(text, [WhyEvidence(kind="metric", key=HELD, text=piece)])


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
