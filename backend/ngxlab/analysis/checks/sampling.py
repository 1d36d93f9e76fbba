"""Was everything measured as planned?"""

from ngxlab_contracts.sentences import say

from ngxlab.analysis.checks.check import trial_check
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


SAMPLER = trial_check(
    "sampler",
    every_host(_sampler),
    _SAMPLE_LESS,
    max_missing_percent=_MAX_MISSING_PERCENT,
    max_agent_percent=_MAX_AGENT_PERCENT,
)
DEGRADED = trial_check("measurement-degraded", _degraded, _SEE_CAPABILITIES)
