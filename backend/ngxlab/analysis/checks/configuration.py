"""Did nginx run the configuration that was intended, and do builds differ in defaults that it leaves to them?"""

import re

from ngxlab_contracts.sentences import listed, say
from ngxlab_contracts.trials import STATUS_LOCATION, UNCOUNTED

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, run_check, trial_check, unavailable
from ngxlab.analysis.schemas import TrialSummary
from ngxlab.analysis.summary.nginx_defaults import changes, version_of

_SET_IT = "set the directives in nginx.conf, unless their defaults are part of the question"


def _defaults(summaries: list[TrialSummary]) -> Finding:
    """Arms may run different builds; what differs by their defaults beside their code is said, and voids nothing."""
    builds = {summary.nginx_build.version if summary.nginx_build else None for summary in summaries}
    if len(builds) == 1:
        return passed("all trials ran one version of nginx")
    known = sorted({version for summary in summaries if (version := version_of(summary.nginx_build)) is not None})
    if None in {version_of(summary.nginx_build) for summary in summaries} or not known:
        return unavailable("the version of some trials' nginx is not known, or it is no nginx but a derivative")
    used = {directive for summary in summaries for directive in summary.left_to_nginx}
    differing = [one for one in changes() if one.directive in used and known[0] < one.version <= known[-1]]
    if not differing:
        return passed("the versions of nginx have the same defaults of what the configuration leaves to them")
    told = [
        say(
            "{directive} (before {since}: {before}; since then: {after})",
            directive=one.directive,
            since=one.since,
            before=one.before,
            after=one.after,
        )
        for one in differing
    ]
    seen = say("versions of nginx differ in defaults that are in use: {told}", told=listed(told, "; "))
    return Finding("warning", seen, _SET_IT)


NGINX_DEFAULTS = run_check("nginx-defaults", _defaults, _SET_IT)


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
