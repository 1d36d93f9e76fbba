"""A rule about one host, asked of every host of the trial that it concerns."""

from ngxlab_contracts.hosts import HostRole

from ngxlab.analysis.checks.check import GRAVITY, Finding, TrialContext, TrialRule, unavailable

_MOST_NAMED = 5


def every_host(rule: TrialRule, *roles: HostRole) -> TrialRule:
    """The gravest finding of the hosts that play one of ``roles`` (of all hosts, if none is given).

    Where the trial has several hosts, the message names those that it is about.
    """

    def of_all(context: TrialContext) -> Finding:
        concerned = [host for host in context.record.hosts if not roles or set(roles) & set(host.roles)]
        if not concerned:
            return unavailable(f"no host of the trial is a {' or '.join(roles)}")
        found = [(context.name(host), rule(context.on(host))) for host in concerned]
        return _gravest(found) if context.several_hosts else found[0][1]

    return of_all


def _gravest(found: list[tuple[str, Finding]]) -> Finding:
    worst = max((finding for _, finding in found), key=lambda finding: GRAVITY[finding.severity])
    alike = [f"{name}: {finding.message}" for name, finding in found if finding.severity == worst.severity]
    named = "; ".join(alike[:_MOST_NAMED])
    more = f"; and {len(alike) - _MOST_NAMED} more hosts" if len(alike) > _MOST_NAMED else ""
    return Finding(worst.severity, named + more, worst.mend)
