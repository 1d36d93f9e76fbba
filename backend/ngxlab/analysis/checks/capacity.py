"""Did each search for the capacity find it?"""

from ngxlab_contracts.sentences import say

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, trial_check, unavailable
from ngxlab.analysis.checks.every_host import every_host
from ngxlab.analysis.schemas import CapacitySearch

_MORE_GENERATOR = "give the stream more processes or connections, or a generator host of its own; or lower to_per_s"
_HIGHER = "raise to_per_s, or make the goal stricter: the capacity lies above the rates that were allowed"
_LOWER = "lower from_per_s, or loosen the goal: the capacity lies below the rates that were allowed"
_LONGER = "lengthen the measured window, or bring from_per_s and to_per_s closer to each other"
_REMEDIES = {"generator": _MORE_GENERATOR, "every-rate": _HIGHER, "no-rate": _LOWER, "unfinished": _LONGER}


def _ended(context: TrialContext) -> Finding:
    if context.host.window is None:
        return unavailable("the trial has no measured window")
    own = {stream.stream for stream in context.own_streams}
    searches = [search for search in context.summary.searches if search.stream in own]
    if not searches:
        return passed("does not apply: no stream searches for its capacity")
    lost = next((search for search in searches if search.without_value is not None), None)
    return _lost(lost) if lost is not None else passed(_found(searches[0]))


def _lost(search: CapacitySearch) -> Finding:
    if search.ended is None or search.without_value is None:
        return unavailable("the agent did not say how the search of stream {stream} ended", stream=search.stream)
    seen = say(
        "stream {stream} tried {steps} rates: {why}",
        stream=search.stream,
        steps=len(search.steps),
        why=search.without_value,
    )
    return Finding("error" if search.ended == "generator" else "warning", seen, _REMEDIES.get(search.ended))


def _found(search: CapacitySearch) -> str:
    void = sum(step.result == "void" for step in search.steps)
    seen = say(
        "stream {stream} tried {steps} rates and found its capacity",
        stream=search.stream,
        steps=len(search.steps),
    )
    return say("{seen}; {void} of them say nothing of nginx", seen=seen, void=void) if void else seen


ENDED = trial_check("capacity", every_host(_ended, "generator"), _MORE_GENERATOR, _HIGHER, _LOWER, _LONGER)
