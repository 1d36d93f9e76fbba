"""From where on changes are felt, against where the article's rule says they must be; and what comes after."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.templates.dynamic_upstreams.model import LockModel
from ngxlab.templates.dynamic_upstreams.quantities import (
    ERRORS,
    FAILED,
    P50_BEFORE,
    P50_DURING,
    P99_BEFORE,
    P99_DURING,
    P99_TYPICAL,
    RECOVERED,
    RECOVERY,
    SKIPPED,
)
from ngxlab.templates.dynamic_upstreams.sweep import CHANGED_NODES
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.saying import digits, said

TWICE = 2.0
_NOTEWORTHY_PERCENT = 0.1


@dataclass(frozen=True)
class Observed:
    """``felt``: p99 of a typical second of the churn is at least twice what it was before, so some requests wait.
    ``stalled``: the median of the whole churn is, so most of them do: workers are in each other's way."""

    arm: ArmAnalysis
    model: LockModel
    felt: bool
    stalled: bool


def conclude(evidence: Evidence) -> list[str]:
    """What the churn did arm by arm, the threshold seen and the one predicted, recovery, calls; then what limits it."""
    found = [seen for arm in evidence.arms if (seen := _observed(evidence, arm)) is not None]
    if not found:
        return ["No trial has latencies from before and from during the churn, so nothing can be said of it."]
    sentences = [_latencies(evidence, found), *_strongest(evidence, found), *_errors(evidence, found)]
    predicted = evidence.parameters.get("through") == "lua" and any(seen.model.lock_us_per_node for seen in found)
    groups = _alike(found)
    for group in groups:
        sentences += _threshold(group, predicted=predicted, several=len(groups) > 1)
    return [*sentences, *_recovery(evidence, found), *_calls(evidence, found), *_limits(evidence, predicted=predicted)]


def _observed(evidence: Evidence, arm: ArmAnalysis) -> Observed | None:
    p50s = evidence.mean(arm, P50_BEFORE), evidence.mean(arm, P50_DURING)
    p99s = evidence.mean(arm, P99_BEFORE), evidence.mean(arm, P99_TYPICAL)
    felt, stalled = _doubled(*p99s), _doubled(*p50s)
    if felt is None or stalled is None:
        return None
    return Observed(arm, LockModel.of(evidence.parameters, evidence.variables(arm)), felt, stalled)


def _doubled(before: float | None, during: float | None) -> bool | None:
    return during >= TWICE * before if before is not None and during is not None else None


def _latencies(evidence: Evidence, found: Sequence[Observed]) -> str:
    parts = []
    for seen in found:
        p50, p99 = (evidence.mean(seen.arm, quantity) for quantity in (P50_DURING, P99_DURING))
        if p50 is not None and p99 is not None:
            parts.append(f"{said(p50, 'us')} and {said(p99, 'us')} with {seen.arm.label}")
    return f"Median and p99 during the churn: {'; '.join(parts)}."


def _strongest(evidence: Evidence, found: Sequence[Observed]) -> Iterator[str]:
    worst = max(found, key=lambda seen: evidence.mean(seen.arm, P99_DURING) or 0)
    statement = evidence.statement(worst.arm, evidence.baseline, P99_DURING)
    if statement is not None and not worst.arm.is_baseline:
        yield statement


def _alike(found: Sequence[Observed]) -> list[list[Observed]]:
    """Arms that differ in the changed nodes only, by these; each arm by itself where they are not swept."""
    groups: dict[tuple[tuple[str, str], ...], list[Observed]] = {}
    for seen in found:
        others = tuple((name, level) for name, level in seen.arm.levels.items() if name != CHANGED_NODES.factor)
        groups.setdefault(others, []).append(seen)
    return [sorted(group, key=lambda seen: seen.model.changed_nodes) for group in groups.values()]


def _threshold(group: Sequence[Observed], *, predicted: bool, several: bool) -> Iterator[str]:
    """Of arms that differ in the changed nodes, in their order; one by itself is held against its own prediction."""
    if len(group) == 1:
        yield _single(group[0], predicted=predicted)
        return
    where = f" ({group[0].arm.label} and more)" if several else ""
    felt = next((seen for seen in group if seen.felt), None)
    if felt is not None:
        text = f"Some requests wait from {_nodes(felt)} on{where}: p99 of a typical second at least doubles."
        own = " Each update holds up the requests of the worker that makes it, whatever the others do."
        yield text + (own if predicted else "")
    yield _stall(group, where, predicted=predicted)


def _stall(group: Sequence[Observed], where: str, *, predicted: bool) -> str:
    stalled = next((seen for seen in group if seen.stalled), None)
    if stalled is None:
        text = f"The median did not double up to {_nodes(group[-1])}{where}"
    else:
        text = f"Most requests wait from {_nodes(stalled)} on{where}: the median doubles"
    limit = group[0].model.threshold_nodes
    if not predicted or limit is None:
        return f"{text}."
    rule = f"The article's rule puts the threshold at {digits(limit)} changed nodes (simulated lock)"
    return f"{text}. {rule}. {_agreement(group, stalled)}"


def _agreement(group: Sequence[Observed], stalled: Observed | None) -> str:
    """Between two steps of a sweep nothing was measured."""
    beyond = next((seen for seen in group if seen.model.is_beyond), None)
    if beyond is None:
        return "The sweep does not reach that far." if stalled is None else "Observed earlier than predicted."
    if stalled is None:
        return "The sweep goes beyond that, and it was not observed."
    if stalled is beyond:
        return "Observed and predicted threshold agree as closely as the steps of the sweep can tell."
    side = "earlier" if stalled.model.changed_nodes < beyond.model.changed_nodes else "later"
    return f"Observed {side} than predicted, which would have been at {beyond.model.changed_nodes:g}."


def _nodes(seen: Observed) -> str:
    return CHANGED_NODES.label(seen.model.changed_nodes)


def _single(seen: Observed, *, predicted: bool) -> str:
    what = "the median at least doubled" if seen.stalled else "the median did not double"
    text = f"With {seen.arm.label}, {what} during the churn"
    if not predicted:
        return f"{text}."
    side = "beyond" if seen.model.is_beyond else "within"
    return (
        f"{text}; an update of {said(seen.model.update_ms, 'ms')} (simulated) is {side} the predicted threshold of "
        f"{said(seen.model.threshold_ms, 'ms')}."
    )


def _recovery(evidence: Evidence, found: Sequence[Observed]) -> Iterator[str]:
    """The longest of single trials, not of their means; those that did not get there have no time."""
    times = [(value.value, seen.arm) for seen in found for value in evidence.measured(seen.arm, RECOVERY).values]
    never = [
        seen.arm.label for seen in found if (share := evidence.mean(seen.arm, RECOVERED)) is not None and share < 1
    ]
    if times:
        longest, arm = max(times, key=lambda pair: pair[0])
        when = f"within {said(longest, 's')} at most ({arm.label})" if longest > 0 else "at once"
        everywhere = not never and {arm.key for _, arm in times} == {seen.arm.key for seen in found}
        where = "" if everywhere else ", where it got there"
        yield f"After the last change p99 was back to usual {when}{where}."
    if never:
        yield f"Not in every trial did it get back to usual within the window: {', '.join(never)}."


def _errors(evidence: Evidence, found: Sequence[Observed]) -> Iterator[str]:
    shares = [(seen.arm.label, evidence.mean(seen.arm, ERRORS) or 0) for seen in found]
    listed = ", ".join(f"{digits(share)} % with {label}" for label, share in shares if share >= _NOTEWORTHY_PERCENT)
    if listed:
        yield f"Not only late but lost: of all requests failed {listed}."


def _calls(evidence: Evidence, found: Sequence[Observed]) -> Iterator[str]:
    for quantity, what in ((FAILED, "failed"), (SKIPPED, "were skipped, as the one before had not returned")):
        counts = [(seen.arm.label, evidence.mean(seen.arm, quantity) or 0) for seen in found]
        listed = ", ".join(f"{digits(count)} with {label}" for label, count in counts if count > 0)
        if listed:
            yield f"Calls that {what}, in the mean of a trial: {listed}."


def _limits(evidence: Evidence, *, predicted: bool) -> Iterator[str]:
    if predicted:
        yield (
            "The time for which an update holds the lock is simulated here; what a Tengine needs for so many nodes has "
            "to be measured on one. That workers wait for each other, and what it does to requests, is real."
        )
    if evidence.parameters.get("through") == "tengine":
        yield (
            "How long a Tengine's update holds the lock is not known from outside, so no threshold is predicted; "
            "since 2.3.3 its workers do not wait for the lock where the health-check module is compiled in."
        )
