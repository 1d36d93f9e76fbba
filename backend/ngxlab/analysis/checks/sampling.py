"""Was everything measured as planned?"""

import re

from ngxlab_contracts.sentences import say
from ngxlab_contracts.trials import UNCOUNTED

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, trial_check, unavailable
from ngxlab.analysis.checks.every_host import every_host
from ngxlab.analysis.checks.perturbations import FAILED_NOTE, killed_workers
from ngxlab.analysis.schemas import TrialNote

_CONFIG = "nginx.conf"
_READ_LOG = "read the error log among the artefacts"
_NOTHING = "nothing to do, if that was the purpose"
_FAULTS = frozenset({"nginx-alert", "nginx-crit"})
"""Said first: the other messages are about limits that nginx met."""
_DEATHS = re.compile(
    r"^(?P<count>\d+) times in nginx's error log: .*worker process \d+ exited on signal (?P<signal>\d+)"
)


def _nginx_log(context: TrialContext) -> Finding:
    """By the agent's notes: the agent searches the whole log, while only its beginning is stored."""
    notes = [note for note in context.summary.notes if is_from_log(note)]
    provoked = [note for note in notes if context.steered and note.code not in _FAULTS]
    serious = [note for note in notes if note not in provoked and not _is_intended(note, context)]
    serious.sort(key=lambda note: note.code not in _FAULTS)
    if serious:
        one, others = serious[0], len(serious) - 1
        host = say("{host}: ", host=one.host) if one.host is not None else ""
        more = say(" (and {count} other messages)", count=others) if others else ""
        return Finding("error", say("{host}{message}{more}", host=host, message=one.message, more=more), _READ_LOG)
    if provoked:
        beyond = say("{message}: the rates go beyond what nginx can take, on purpose", message=provoked[0].message)
        return Finding("info", beyond, _NOTHING)
    if notes:
        return Finding("info", say("{message}: a perturbation caused this", message=notes[0].message), _NOTHING)
    if context.host.artefact(_CONFIG) is None:
        return unavailable("the agent kept no artefacts of this nginx")
    return passed("nginx logged nothing serious")


def _is_intended(note: TrialNote, context: TrialContext) -> bool:
    """Whether the note is about workers that a perturbation ended, and counts no more of them than it ended."""
    death = _DEATHS.search(note.message) if note.code == "nginx-alert" else None
    return death is not None and int(death["count"]) <= killed_workers(context).get(int(death["signal"]), 0)


def is_from_log(note: TrialNote) -> bool:
    """Whether the note is about a line of nginx's error log."""
    return note.code.startswith("nginx-") and note.code != UNCOUNTED


NGINX_LOG = trial_check("nginx-log", _nginx_log, _READ_LOG, _NOTHING)


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
