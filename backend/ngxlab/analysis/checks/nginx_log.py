"""Did nginx log anything serious?"""

import re

from ngxlab_contracts.sentences import say
from ngxlab_contracts.trials import UNCOUNTED

from ngxlab.analysis.checks.check import trial_check
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.checks.finding import Finding, passed, unavailable
from ngxlab.analysis.checks.perturbed import killed_workers
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
    serious = [note for note in notes if not _is_intended(note, context)]
    serious.sort(key=lambda note: note.code not in _FAULTS)
    if serious:
        one, others = serious[0], len(serious) - 1
        host = say("{host}: ", host=one.host) if one.host is not None else ""
        more = say(" (and {count} other messages)", count=others) if others else ""
        return Finding("error", say("{host}{message}{more}", host=host, message=one.message, more=more), _READ_LOG)
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
