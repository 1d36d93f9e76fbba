"""What did nginx write to its error log?"""

import re

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, unavailable
from ngxlab.analysis.checks.perturbed import killed_workers
from ngxlab.analysis.schemas import TrialNote

_CONFIG = "nginx.conf"
_DEATHS = re.compile(
    r"^(?P<count>\d+) times in nginx's error log: .*worker process \d+ exited on signal (?P<signal>\d+)"
)


def nginx_log(context: TrialContext) -> Finding:
    """By the agent's notes: it searched the whole log, of which only the beginning is kept (an empty log is not)."""
    notes = [note for note in context.summary.notes if is_from_log(note)]
    if notes and all(_is_meant(note, context) for note in notes):
        return Finding("info", f"{notes[0].message}: a perturbation did that", "nothing, if that was the purpose")
    if notes:
        where = f"{notes[0].host}: " if notes[0].host is not None else ""
        return Finding("error", where + notes[0].message, "read the error log among the artefacts")
    if context.host.artefact(_CONFIG) is None:
        return unavailable("the agent kept no artefacts of this nginx")
    return passed("nginx logged nothing serious")


def _is_meant(note: TrialNote, context: TrialContext) -> bool:
    """Whether the example is a worker that a perturbation ended, and no more alerts are counted than it can explain."""
    found = _DEATHS.search(note.message) if note.code == "nginx-alert" else None
    return found is not None and int(found["count"]) <= killed_workers(context).get(int(found["signal"]), 0)


def is_from_log(note: TrialNote) -> bool:
    """Whether the agent found this in nginx's error log."""
    return note.code.startswith("nginx-")
