"""The number of changed nodes that requests feel, compared with the article's rule; then recovery and calls."""

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
    """``felt``: p99 of a typical second of the churn is at least twice that before, so some requests wait. ``stalled``:
    so is the median of the whole churn, so most requests wait: the workers block each other."""

    arm: ArmAnalysis
    model: LockModel
    felt: bool
    stalled: bool


def conclude(evidence: Evidence) -> list[str]:
    """Latency by arm, observed and predicted threshold, recovery, calls; then what limits these statements."""
    observed = [seen for arm in evidence.arms if (seen := _observed(evidence, arm)) is not None]
    if not observed:
        return ["No trial measured latency both before and during the churn, so this run does not answer the question."]
    sentences = [_latencies(evidence, observed), *_strongest(evidence, observed), *_errors(evidence, observed)]
    predicted = evidence.parameters.get("through") == "lua" and any(seen.model.lock_us_per_node for seen in observed)
    groups = _alike(observed)
    for group in groups:
        sentences += _threshold(group, predicted=predicted, several=len(groups) > 1)
    sentences += [*_recovery(evidence, observed), *_calls(evidence, observed)]
    return [*sentences, *_limits(evidence, predicted=predicted)]


def _observed(evidence: Evidence, arm: ArmAnalysis) -> Observed | None:
    p50s = evidence.mean(arm, P50_BEFORE), evidence.mean(arm, P50_DURING)
    p99s = evidence.mean(arm, P99_BEFORE), evidence.mean(arm, P99_TYPICAL)
    felt, stalled = _doubled(*p99s), _doubled(*p50s)
    if felt is None or stalled is None:
        return None
    return Observed(arm, LockModel.of(evidence.parameters, evidence.variables(arm)), felt, stalled)


def _doubled(before: float | None, during: float | None) -> bool | None:
    return during >= TWICE * before if before is not None and during is not None else None


def _latencies(evidence: Evidence, observed: Sequence[Observed]) -> str:
    parts = []
    for seen in observed:
        p50, p99 = (evidence.mean(seen.arm, quantity) for quantity in (P50_DURING, P99_DURING))
        if p50 is not None and p99 is not None:
            parts.append(f"{said(p50, 'us')} and {said(p99, 'us')} with {seen.arm.label}")
    return f"Median and p99 of latency during the churn: {'; '.join(parts)}."


def _strongest(evidence: Evidence, observed: Sequence[Observed]) -> Iterator[str]:
    worst = max(observed, key=lambda seen: evidence.mean(seen.arm, P99_DURING) or 0)
    statement = evidence.statement(worst.arm, evidence.baseline, P99_DURING)
    if statement is not None and not worst.arm.is_baseline:
        yield statement


def _alike(observed: Sequence[Observed]) -> list[list[Observed]]:
    """Groups of arms that differ only in the changed nodes, in that order; single arms if these are not swept."""
    groups: dict[tuple[tuple[str, str], ...], list[Observed]] = {}
    for seen in observed:
        others = tuple((name, level) for name, level in seen.arm.levels.items() if name != CHANGED_NODES.factor)
        groups.setdefault(others, []).append(seen)
    return [sorted(group, key=lambda seen: seen.model.changed_nodes) for group in groups.values()]


def _threshold(group: Sequence[Observed], *, predicted: bool, several: bool) -> Iterator[str]:
    """For arms that differ only in the changed nodes, in their order; a single arm is compared with its prediction."""
    if len(group) == 1:
        yield _single(group[0], predicted=predicted)
        return
    where = f" ({group[0].arm.label} and further arms)" if several else ""
    felt = next((seen for seen in group if seen.felt), None)
    if felt is not None:
        text = f"Some requests wait from {_nodes(felt)} upwards{where}: p99 of a typical second at least doubles."
        own = " Each update delays the requests of the worker that applies it, whatever the others do."
        yield text + (own if predicted else "")
    yield _stall(group, where, predicted=predicted)


def _stall(group: Sequence[Observed], where: str, *, predicted: bool) -> str:
    stalled = next((seen for seen in group if seen.stalled), None)
    if stalled is None:
        text = f"The median of latency does not double up to {_nodes(group[-1])}{where}"
    else:
        text = f"Most requests wait from {_nodes(stalled)} upwards{where}: the median of latency at least doubles"
    limit = group[0].model.threshold_nodes
    if not predicted or limit is None:
        return f"{text}."
    rule = f"The article's rule puts the threshold at {digits(limit)} changed nodes (simulated lock)"
    return f"{text}. {rule}. {_agreement(group, stalled)}"


def _agreement(group: Sequence[Observed], stalled: Observed | None) -> str:
    """How observed and predicted threshold compare, as far as the steps of the sweep can tell."""
    beyond = next((seen for seen in group if seen.model.is_beyond), None)
    if beyond is None:
        return "The sweep does not reach that number." if stalled is None else "It was observed earlier than predicted."
    if stalled is None:
        return "The sweep goes beyond that number, but no such threshold was observed."
    if stalled is beyond:
        return "The observed and the predicted threshold agree within the steps of the sweep."
    side = "earlier" if stalled.model.changed_nodes < beyond.model.changed_nodes else "later"
    return f"It was observed {side} than predicted: the first step beyond the rule is {_nodes(beyond)}."


def _nodes(seen: Observed) -> str:
    return CHANGED_NODES.label(seen.model.changed_nodes)


def _single(seen: Observed, *, predicted: bool) -> str:
    what = "at least doubled" if seen.stalled else "did not double"
    text = f"With {seen.arm.label}, the median of latency {what} during the churn"
    if not predicted:
        return f"{text}."
    side = "beyond" if seen.model.is_beyond else "within"
    return (
        f"{text}; an update of {said(seen.model.update_ms, 'ms')} (simulated) is {side} the predicted threshold of "
        f"{said(seen.model.threshold_ms, 'ms')}."
    )


def _recovery(evidence: Evidence, observed: Sequence[Observed]) -> Iterator[str]:
    """The longest time of single trials, not of means. Trials that did not recover within the window have no time."""
    times = [(value.value, seen.arm) for seen in observed for value in evidence.measured(seen.arm, RECOVERY).values]
    never = [
        seen.arm.label for seen in observed if (share := evidence.mean(seen.arm, RECOVERED)) is not None and share < 1
    ]
    if times:
        longest, arm = max(times, key=lambda pair: pair[0])
        when = f"within {said(longest, 's')} at most ({arm.label})" if longest > 0 else "immediately"
        everywhere = not never and {arm.key for _, arm in times} == {seen.arm.key for seen in observed}
        where = "" if everywhere else ", in the trials that recovered"
        yield f"After the last change, p99 returned to its usual range {when}{where}."
    if never:
        yield f"Not every trial recovered within the measured window: {', '.join(never)}."


def _errors(evidence: Evidence, observed: Sequence[Observed]) -> Iterator[str]:
    shares = [(seen.arm.label, evidence.mean(seen.arm, ERRORS) or 0) for seen in observed]
    listed = ", ".join(f"{digits(share)} % with {label}" for label, share in shares if share >= _NOTEWORTHY_PERCENT)
    if listed:
        yield f"Requests were not only late but lost. Share of requests that failed: {listed}."


def _calls(evidence: Evidence, observed: Sequence[Observed]) -> Iterator[str]:
    for quantity, what in ((FAILED, "failed"), (SKIPPED, "were skipped because the one before had not returned")):
        counts = [(seen.arm.label, evidence.mean(seen.arm, quantity) or 0) for seen in observed]
        listed = ", ".join(f"{digits(count)} with {label}" for label, count in counts if count > 0)
        if listed:
            yield f"Churn calls that {what}, mean per trial: {listed}."


def _limits(evidence: Evidence, *, predicted: bool) -> Iterator[str]:
    if predicted:
        yield (
            "The time for which an update holds the lock is simulated here; how long a Tengine needs for so many nodes "
            "must be measured on one. That workers wait for each other, and how this affects requests, is real."
        )
    if evidence.parameters.get("through") == "tengine":
        yield (
            "How long an update of a Tengine holds the lock cannot be seen from outside, so no threshold is predicted. "
            "Since 2.3.3, its workers do not wait for the lock if the health-check module is compiled in."
        )
