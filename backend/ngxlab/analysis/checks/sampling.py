"""Was everything measured as planned?"""

from ngxlab_contracts.sentences import say

from ngxlab.analysis.checks.check import Evidence, TrialCheck
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.checks.every_host import every_host
from ngxlab.analysis.checks.finding import Finding, passed, unavailable
from ngxlab.analysis.checks.nginx_log import is_from_log
from ngxlab.analysis.checks.perturbed import FAILED_NOTE
from ngxlab.analysis.schemas import TrialNote

_MAX_MISSING_PERCENT = 5
_MAX_AGENT_PERCENT = 2
_SAMPLE_LESS = "sample less often, or find out what keeps the agent from running"
_SEE_CAPABILITIES = "see the host's capabilities and the trial's notes"


def _sampler(context: TrialContext) -> Finding:
    sampling, cpu = context.host_summary.sampling, context.host_summary.agent_cpu_percent
    if sampling is None:
        return unavailable("no collector read anything in the window")
    seen = say(
        (
            "{missing} of {expected} readings missing or late, longest gap {gap:.1f} s; the "
            "agent's CPU is {cpu:.1f} % of a core"
        )
        if cpu is not None
        else ("{missing} of {expected} readings missing or late, longest gap {gap:.1f} s; the agent's CPU is unknown"),
        missing=sampling.missing,
        expected=sampling.expected,
        gap=sampling.longest_gap_s,
        cpu=cpu or 0,
    )
    if sampling.missing_percent > _MAX_MISSING_PERCENT or (cpu is not None and cpu > _MAX_AGENT_PERCENT):
        return Finding("warning", seen, _SAMPLE_LESS)
    return passed(seen) if cpu is not None else unavailable(seen)


def _degraded(context: TrialContext) -> Finding:
    """What the agent noted: a collector that failed, wrk's memory unreadable, processes not contained."""
    notes = [note for note in context.summary.notes if note.severity != "info" and _is_measuring(note)]
    if context.summary.rate_source == "stub_status":
        lost = say(
            "the generator's memory was not readable: requests/s are from nginx's counter, and there is no latency"
        )
        return Finding(
            "warning", say("{lost} ({note})", lost=lost, note=notes[0].message) if notes else lost, _SEE_CAPABILITIES
        )
    if not notes and context.host.window is None:
        return unavailable("the trial has no measured window")
    if not notes:
        return passed("every collector and engine worked as planned")
    worst = next((note for note in notes if note.severity == "error"), notes[0])
    where = say("{host}: ", host=worst.host) if worst.host is not None else ""
    message = say(
        "{count} notes, the gravest: {where}{message} ({code})"
        if len(notes) > 1
        else "{count} note, the gravest: {where}{message} ({code})",
        count=len(notes),
        where=where,
        message=worst.message,
        code=worst.code,
    )
    return Finding(worst.severity, message, _SEE_CAPABILITIES)


def _is_measuring(note: TrialNote) -> bool:
    """Other checks report on nginx's log and on perturbations."""
    return not is_from_log(note) and note.code != FAILED_NOTE


SAMPLER = TrialCheck(
    number=25,
    key="sampler",
    title="Sampling was complete and cheap",
    failed="Sampling was incomplete or costly",
    rule=f"Warning if more than {_MAX_MISSING_PERCENT} % of the readings are missing or late, or if the agent uses "
    f"more than {_MAX_AGENT_PERCENT} % of a core.",
    data="The times of all readings in the window and the agent's own CPU time, on every host.",
    results={"warning": Evidence("the agent is stopped for 1 s")},
    voids="Charts and rates across a gap; beyond the CPU limit, the measurement itself disturbs the trial.",
    remedies=(_SAMPLE_LESS,),
    source="ngxlab's own budget for its overhead; Mytkowicz et al., ASPLOS 2009, on the observer effect.",
    while_measured=True,
    judge=every_host(_sampler),
)

DEGRADED = TrialCheck(
    number=0,
    key="measurement-degraded",
    title="Everything was measured as planned",
    failed="Not everything was measured as planned",
    rule="Warning if the generator's memory was not readable. Else the gravest of the agent's notes that are a warning "
    "or an error and are not about nginx's log (check 9) or perturbations.",
    data="The agent's notes, on every host, and the source of requests/s.",
    results={
        "warning": Evidence("the agent is stopped over the end of the window"),
        "error": Evidence("wrk is stopped, so that it does not end"),
    },
    voids="What the note names: for instance, without the generator's memory there is no latency distribution.",
    remedies=(_SEE_CAPABILITIES,),
    source="ngxlab's own.",
    while_measured=True,
    judge=_degraded,
)
