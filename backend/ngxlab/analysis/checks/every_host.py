"""A rule about one host, applied to every host of the trial that plays a given role."""

from ngxlab_contracts.hosts import HostRole
from ngxlab_contracts.sentences import fixed, listed, say

from ngxlab.analysis.checks.check import GRAVITY, Finding, TrialContext, TrialRule, unavailable

_MAX_NAMED = 5


def every_host(rule: TrialRule, *roles: HostRole) -> TrialRule:
    """The gravest finding of the hosts that play one of ``roles`` (of all hosts, if none is given).

    Where the trial has several hosts, the message names those with that finding.
    """

    def judge(context: TrialContext) -> Finding:
        hosts = [host for host in context.record.hosts if not roles or set(roles) & set(host.roles)]
        if not hosts:
            return unavailable("no host of the trial is a {roles}", roles=listed(map(fixed, roles), " or "))
        findings = [(context.name(host), rule(context.on(host))) for host in hosts]
        return _gravest(findings) if context.several_hosts else findings[0][1]

    return judge


def _gravest(findings: list[tuple[str, Finding]]) -> Finding:
    worst = max((finding for _, finding in findings), key=lambda finding: GRAVITY[finding.severity])
    alike = [
        say("{host}: {message}", host=name, message=finding.message)
        for name, finding in findings
        if finding.severity == worst.severity
    ]
    more = [say("and {count} more hosts", count=len(alike) - _MAX_NAMED)] if len(alike) > _MAX_NAMED else []
    return Finding(worst.severity, listed([*alike[:_MAX_NAMED], *more], "; "), worst.remedy)
