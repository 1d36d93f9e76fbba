"""The number of changed nodes that requests feel, compared with the article's rule; then recovery and calls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ngxlab_contracts.sentences import Sentence, listed, say

from ngxlab.analysis.metrics import Metric
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
from ngxlab.templates.estimates import Decided
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.saying import said

_WORDS: dict[Decided, Sentence] = {
    "yes": say("at least doubled"),
    "no": say("less than doubled"),
    "undecided": say("undecided"),
}
_UNANSWERED = say(
    "No trial measured latency both before and during the churn, so this run does not answer the question."
)
_TWICE = 2.0
"""From here on, more of a request's latency is caused by the churn than by all else: before it, all else took the
whole. A smaller rise may be the CPU that updates take, which is not what the article's rule is about."""

_PHASES: Sequence[tuple[Metric, Metric]] = ((P99_TYPICAL, P99_BEFORE), (P50_DURING, P50_BEFORE))


@dataclass(frozen=True)
class _Observed:
    """``felt``: p99 of a typical second of the churn is at least twice that before, so some requests are late.
    ``stalled``: so is the median of the whole churn, so most are."""

    arm: ArmAnalysis
    model: LockModel
    felt: Decided
    stalled: Decided


def _observed(evidence: Evidence) -> list[_Observed]:
    """In the arms' order, those with values of both phases. All answers together are true with 95 %."""
    tests = len(_PHASES) * len(evidence.arms)
    observed = []
    for arm in evidence.arms:
        felt, stalled = (evidence.quotient(arm, of, to, tests=tests) for of, to in _PHASES)
        if felt is not None and stalled is not None:
            model = LockModel.of(evidence.parameters, evidence.variables(arm))
            observed.append(_Observed(arm, model, felt.at_least(_TWICE), stalled.at_least(_TWICE)))
    return observed


def conclude(evidence: Evidence) -> list[Sentence]:
    """Latency by arm, what doubled and what the rule predicts, recovery, calls; then what limits these statements."""
    observed = _observed(evidence)
    if not observed:
        unanswered = [_UNANSWERED] if evidence.is_valid(P50_DURING) else []
        return [*unanswered, *_errors(evidence), *_calls(evidence)]
    predicted = evidence.parameters.get("through") == "lua" and any(seen.model.lock_us_per_node for seen in observed)
    felt = _doubled(say("p99 of a typical second"), [(seen.arm.label, seen.felt) for seen in observed])
    stalled = _doubled(say("median latency"), [(seen.arm.label, seen.stalled) for seen in observed])
    sentences = [*_latencies(evidence), felt, stalled, *(_rule(observed) if predicted else [])]
    sentences += [*_recovery(evidence), *_errors(evidence), *_calls(evidence)]
    return [*sentences, *_limits(evidence, predicted=predicted)]


def _latencies(evidence: Evidence) -> Iterator[Sentence]:
    for quantity in (P50_DURING, P99_DURING):
        statements = (evidence.statement(arm, evidence.baseline, quantity) for arm in evidence.others)
        yield from (text for text in statements if text is not None)


def _doubled(what: Sentence, answers: Sequence[tuple[str, Decided]]) -> Sentence:
    found = [
        say(
            "{word} with {arms}",
            word=word,
            arms=listed(f"`{label}`" for label, answer in answers if answer == state),
        )
        for state, word in _WORDS.items()
        if any(answer == state for _, answer in answers)
    ]
    what_changed = say("{what} of the churn against that before it", what=what)
    return say(
        "Exploratory: {what_changed}: {found} (95 % CI for all arms together).",
        what_changed=what_changed,
        found=listed(found, "; "),
    )


def _rule(observed: Sequence[_Observed]) -> Iterator[Sentence]:
    """The article's rule says in which arms workers must block each other: there, the median should double."""
    early = [seen for seen in observed if seen.stalled == "yes" and not seen.model.is_beyond]
    late = [seen for seen in observed if seen.stalled == "no" and seen.model.is_beyond]
    rule = _threshold(observed)
    if early:
        done = _WORDS["yes"]
        yield say(
            "{rule} It does not hold with {updates}: within it, and the median {done}.",
            rule=rule,
            updates=_updates(early),
            done=done,
        )
    if late:
        done = _WORDS["no"]
        yield say(
            "{rule} It does not hold with {updates}: beyond it, and the median {done}.",
            rule=rule,
            updates=_updates(late),
            done=done,
        )
    if not early and not late:
        open_ = any(seen.stalled == "undecided" for seen in observed)
        yield say("{rule} Nothing decided contradicts it." if open_ else "{rule} All arms agree with it.", rule=rule)


def _threshold(observed: Sequence[_Observed]) -> Sentence:
    limits = {seen.model.threshold_nodes for seen in observed}
    exceeded = any(seen.model.is_beyond for seen in observed)
    limit = next(iter(limits)) if len(limits) == 1 else None
    if limit is not None:
        return say(
            "The article's rule (simulated lock) puts the threshold at {nodes:g} changed nodes."
            if exceeded
            else (
                "The article's rule (simulated lock) puts the threshold at {nodes:g} changed nodes, which "
                "no arm exceeds."
            ),
            nodes=limit,
        )
    return say(
        "The article's rule (simulated lock) puts the threshold."
        if exceeded
        else "The article's rule (simulated lock) puts the threshold beyond all arms."
    )


def _updates(observed: Sequence[_Observed]) -> Sentence:
    """Each arm with the time of its update and the threshold's, which may differ from arm to arm."""
    times = ((seen.arm.label, seen.model.update_ms, seen.model.threshold_ms) for seen in observed)
    return listed(
        say("`{label}` (update {own}, threshold {limit})", label=label, own=said(own, "ms"), limit=said(limit, "ms"))
        for label, own, limit in times
    )


def _recovery(evidence: Evidence) -> Iterator[Sentence]:
    """Counted in single trials. Trials that did not recover within the window have no time."""
    counted = [(arm, evidence.values(arm, RECOVERED), evidence.values(arm, RECOVERY)) for arm in evidence.arms]
    times = [time for _, _, of_arm in counted for time in of_arm]
    if times:
        trials = say("{count} trials" if len(times) != 1 else "{count} trial", count=len(times))
        longest = said(max(times), "s")
        yield say(
            "In {trials}, p99 returned to its usual range within {longest} at most after the last change."
            if max(times) > 0
            else "In {trials}, p99 returned to its usual range immediately after the last change.",
            trials=trials,
            longest=longest,
        )
    for arm, recovered, _ in counted:
        if unended := sum(value == 0 for value in recovered):
            yield say(
                "In {unended} of {trials} trials with `{arm}`, it did not return within the window.",
                unended=unended,
                trials=len(recovered),
                arm=arm.label,
            )


def _errors(evidence: Evidence) -> Iterator[Sentence]:
    shares = ((arm.label, evidence.estimate(arm, ERRORS)) for arm in evidence.arms)
    found = [
        say("{text} with `{label}`", text=share.text("%"), label=label)
        for label, share in shares
        if share is not None and share.mean > 0
    ]
    if found:
        yield say("Share of requests that failed: {found}.", found=listed(found))


def _calls(evidence: Evidence) -> Iterator[Sentence]:
    """Counted over all trials of an arm."""
    for quantity, what in (
        (FAILED, say("that failed")),
        (SKIPPED, say("that were skipped because the one before had not returned")),
    ):
        counts = [(arm.label, evidence.values(arm, quantity)) for arm in evidence.arms]
        found = [
            say(
                "{calls:,.0f} in {trials} trials with `{label}`",
                calls=sum(of_arm),
                trials=len(of_arm),
                label=label,
            )
            for label, of_arm in counts
            if any(of_arm)
        ]
        if found:
            yield say("Churn calls {what}: {found}.", what=what, found=listed(found))


def _limits(evidence: Evidence, *, predicted: bool) -> Iterator[Sentence]:
    if predicted:
        yield say(
            "The time for which an update holds the lock is simulated here; how long a Tengine needs for so many nodes "
            "must be measured on one."
        )
    if evidence.parameters.get("through") == "tengine":
        yield say(
            "How long an update of a Tengine holds the lock cannot be seen from outside, so no threshold is predicted. "
            "Since 2.3.3, its workers do not wait for the lock if the health-check module is compiled in."
        )
