"""The number of changed nodes that requests feel, compared with the article's rule; then recovery and calls."""

from collections.abc import Iterator, Sequence

from ngxlab.templates.dynamic_upstreams.observed import Observed, observe
from ngxlab.templates.dynamic_upstreams.quantities import (
    ERRORS,
    FAILED,
    P50_DURING,
    P99_DURING,
    RECOVERED,
    RECOVERY,
    SKIPPED,
)
from ngxlab.templates.estimates import Decided
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.saying import said

_WORDS: dict[Decided, str] = {"yes": "at least doubled", "no": "less than doubled", "undecided": "undecided"}
_UNANSWERED = "No trial measured latency both before and during the churn, so this run does not answer the question."


def conclude(evidence: Evidence) -> list[str]:
    """Latency by arm, what doubled and what the rule predicts, recovery, calls; then what limits these statements."""
    observed = observe(evidence)
    if not observed:
        unanswered = [_UNANSWERED] if evidence.is_valid(P50_DURING) else []
        return [*unanswered, *_errors(evidence), *_calls(evidence)]
    predicted = evidence.parameters.get("through") == "lua" and any(seen.model.lock_us_per_node for seen in observed)
    felt = _doubled("p99 of a typical second", [(seen.arm.label, seen.felt) for seen in observed])
    stalled = _doubled("median latency", [(seen.arm.label, seen.stalled) for seen in observed])
    sentences = [*_latencies(evidence), felt, stalled, *(_rule(observed) if predicted else [])]
    sentences += [*_recovery(evidence), *_errors(evidence), *_calls(evidence)]
    return [*sentences, *_limits(evidence, predicted=predicted)]


def _latencies(evidence: Evidence) -> Iterator[str]:
    for quantity in (P50_DURING, P99_DURING):
        statements = (evidence.statement(arm, evidence.baseline, quantity) for arm in evidence.others)
        yield from (text for text in statements if text is not None)


def _doubled(what: str, answers: Sequence[tuple[str, Decided]]) -> str:
    listed = [
        f"{word} with {', '.join(f'`{label}`' for label, answer in answers if answer == state)}"
        for state, word in _WORDS.items()
        if any(answer == state for _, answer in answers)
    ]
    what_changed = f"{what} of the churn against that before it"
    return f"Exploratory: {what_changed}: {'; '.join(listed)} (95 % CI for all arms together)."


def _rule(observed: Sequence[Observed]) -> Iterator[str]:
    """The article's rule says in which arms workers must block each other: there, the median should double."""
    early = [seen for seen in observed if seen.stalled == "yes" and not seen.model.is_beyond]
    late = [seen for seen in observed if seen.stalled == "no" and seen.model.is_beyond]
    rule = _threshold(observed)
    if early:
        done = _WORDS["yes"]
        yield f"{rule} It does not hold with {_updates(early)}: within it, and the median {done}."
    if late:
        done = _WORDS["no"]
        yield f"{rule} It does not hold with {_updates(late)}: beyond it, and the median {done}."
    if not early and not late:
        open_ = any(seen.stalled == "undecided" for seen in observed)
        yield f"{rule} {'Nothing decided contradicts it.' if open_ else 'All arms agree with it.'}"


def _threshold(observed: Sequence[Observed]) -> str:
    limits = {seen.model.threshold_nodes for seen in observed}
    exceeded = any(seen.model.is_beyond for seen in observed)
    if len(limits) == 1 and None not in limits:
        return (
            f"The article's rule (simulated lock) puts the threshold at {next(iter(limits)):g} changed nodes"
            f"{'' if exceeded else ', which no arm exceeds'}."
        )
    return f"The article's rule (simulated lock) puts the threshold{'' if exceeded else ' beyond all arms'}."


def _updates(observed: Sequence[Observed]) -> str:
    """Each arm with the time of its update and the threshold's, which may differ from arm to arm."""
    times = ((seen.arm.label, seen.model.update_ms, seen.model.threshold_ms) for seen in observed)
    return ", ".join(
        f"`{label}` (update {said(own, 'ms')}, threshold {said(limit, 'ms')})" for label, own, limit in times
    )


def _recovery(evidence: Evidence) -> Iterator[str]:
    """Counted in single trials. Trials that did not recover within the window have no time."""
    counted = [(arm, evidence.values(arm, RECOVERED), evidence.values(arm, RECOVERY)) for arm in evidence.arms]
    times = [time for _, _, of_arm in counted for time in of_arm]
    if times:
        trials = f"{len(times)} trial{'s' if len(times) != 1 else ''}"
        longest = said(max(times), "s")
        yield (
            f"In {trials}, p99 returned to its usual range "
            f"{f'within {longest} at most' if max(times) > 0 else 'immediately'} after the last change."
        )
    for arm, recovered, _ in counted:
        if unended := sum(value == 0 for value in recovered):
            yield f"In {unended} of {len(recovered)} trials with `{arm.label}`, it did not return within the window."


def _errors(evidence: Evidence) -> Iterator[str]:
    shares = ((arm.label, evidence.estimate(arm, ERRORS)) for arm in evidence.arms)
    listed = [f"{share.text('%')} with `{label}`" for label, share in shares if share is not None and share.mean > 0]
    if listed:
        yield f"Share of requests that failed: {', '.join(listed)}."


def _calls(evidence: Evidence) -> Iterator[str]:
    """Counted over all trials of an arm."""
    for quantity, what in (
        (FAILED, "that failed"),
        (SKIPPED, "that were skipped because the one before had not returned"),
    ):
        counts = [(arm.label, evidence.values(arm, quantity)) for arm in evidence.arms]
        listed = [
            f"{sum(of_arm):,.0f} in {len(of_arm)} trials with `{label}`" for label, of_arm in counts if any(of_arm)
        ]
        if listed:
            yield f"Churn calls {what}: {', '.join(listed)}."


def _limits(evidence: Evidence, *, predicted: bool) -> Iterator[str]:
    if predicted:
        yield (
            "The time for which an update holds the lock is simulated here; how long a Tengine needs for so many nodes "
            "must be measured on one."
        )
    if evidence.parameters.get("through") == "tengine":
        yield (
            "How long an update of a Tengine holds the lock cannot be seen from outside, so no threshold is predicted. "
            "Since 2.3.3, its workers do not wait for the lock if the health-check module is compiled in."
        )
