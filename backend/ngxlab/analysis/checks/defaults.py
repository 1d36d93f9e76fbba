"""Do builds of several versions differ in defaults that the configuration leaves to them?"""

from ngxlab_contracts.sentences import listed, say

from ngxlab.analysis.checks.check import run_check
from ngxlab.analysis.checks.finding import Finding, passed, unavailable
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
