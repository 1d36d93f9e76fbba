"""Did nginx run the configuration that was intended?"""

import re

from ngxlab_contracts.sentences import say
from ngxlab_contracts.trials import STATUS_LOCATION, UNCOUNTED

from ngxlab.analysis.checks.check import trial_check
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.checks.finding import Finding, passed, unavailable

_CONFIG = "nginx.conf"
_RUN_VARIABLE = re.compile(r"@@[^@\s]+@@")
_FIND_WRITER = "find out what changed the file, and repeat the run"
_READ_LOG = "read nginx's error log: workers with the old configuration kept running"


def _config_live(context: TrialContext) -> Finding:
    """Whether nginx.conf at the trial's end is the intended one, and every reload replaced all workers."""
    kept = context.host.artefact(_CONFIG)
    if kept is None:
        return unavailable("the agent stored no nginx.conf")
    if not is_filled_from(kept.text, _intended(context), truncated=kept.truncated):
        return Finding("error", say("nginx.conf on the host differs from the one that was sent to it"), _FIND_WRITER)
    reloads = [action for action in context.host.actions() if action.action == "reload" and not action.skipped]
    failed = [action for action in reloads if not action.ok]
    if failed:
        message = say(
            "{failed} of {reloads} reloads did not replace all workers: {detail}",
            failed=len(failed),
            reloads=len(reloads),
            detail=failed[0].detail,
        )
        return Finding("error", message, _READ_LOG)
    if reloads:
        return passed(
            "nginx.conf is as intended; every worker was new after each of {reloads} reloads", reloads=len(reloads)
        )
    return passed("nginx.conf is as intended")


def _intended(context: TrialContext) -> str:
    """What was sent; the agent of an nginx without stub_status leaves its location out, and notes that."""
    config = context.host.nginx.config
    uncounted = any(note.code == UNCOUNTED for note in context.summary.notes)
    return config.replace(STATUS_LOCATION, "") if uncounted else config


def is_filled_from(config: str, template: str, *, truncated: bool = False) -> bool:
    """Whether ``config`` is ``template`` with a value in place of each run variable.

    ``truncated``: only the beginning of ``config`` was stored.
    """
    first, *others = _RUN_VARIABLE.split(template)
    if not config.startswith(first[: len(config)] if truncated else first):
        return False
    position = len(first)
    for piece in others:
        start = config.find(piece, position)
        if start < 0:
            return truncated
        position = start + len(piece)
    return truncated or config.endswith(others[-1] if others else first)


CONFIG_LIVE = trial_check("config-live", _config_live, _FIND_WRITER, _READ_LOG)
