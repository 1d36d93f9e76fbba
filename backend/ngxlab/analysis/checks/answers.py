"""Is what nginx answers what the definition declares?"""

from ngxlab_contracts.sentences import listed, say

from ngxlab.analysis import first_answers
from ngxlab.analysis.checks.check import Finding, TrialContext, passed, trial_check, unavailable

_MOST = 3
_MEND = (
    "change the path, nginx's configuration, or what the stream declares; Test on a host shows the answers beforehand"
)


def _as_declared(context: TrialContext) -> Finding:
    told = [
        (stream, first_answers.after_load(stream, answer))
        for host in context.record.loading
        for stream in host.spec.streams
        if (answer := host.answer(stream.key)) is not None
    ]
    if not told:
        return unavailable("no agent was told an answer when the load had ended")
    files = context.host.nginx.files
    departed = [
        say("{answer}: {departures}", answer=first_answers.line(answer), departures=listed(departures, "; "))
        for stream, answer in told
        if (departures := first_answers.departures(answer, stream, files))
    ]
    if departed:
        return Finding("warning", listed(departed[:_MOST], "; "), _MEND)
    return passed("answers that are as declared: {answers}", answers=len(told))


FIRST_ANSWERS = trial_check("first-answers", _as_declared, _MEND)
