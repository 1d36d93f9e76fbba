"""Did nginx's workers come near their limits on descriptors and connections?"""

import re
from typing import NamedTuple

from ngxlab_contracts.sentences import Sentence, say

from ngxlab.analysis.checks.check import GRAVITY, Finding, TrialContext, passed, trial_check, unavailable
from ngxlab.analysis.checks.every_host import every_host
from ngxlab.analysis.summary.environment import directive_values

_MAX_SHARE = 0.90
_NGINX_DEFAULT_CONNECTIONS = 512
_KEPT_SHARE = 15 / 16
"""Beyond it nginx closes idle connections (``ngx_drain_connections``)."""
_CACHE_MAX = re.compile(r"\bmax=(?P<max>\d+)")
_RAISE_LIMITS = "raise worker_connections and worker_rlimit_nofile, or use more workers"


class _Group(NamedTuple):
    """Workers of one role. ``configs``: of each nginx whose workers they may be."""

    role: str
    name: Sentence
    configs: list[str]


def _descriptors(context: TrialContext) -> Finding:
    """How near the workers of a host came to their limits on descriptors and connections."""
    findings = [_of_group(context, group) for group in _groups(context)]
    return max(findings, key=lambda finding: GRAVITY[finding.severity])


def _groups(context: TrialContext) -> list[_Group]:
    spec = context.host.spec
    tested = [_Group("nginx-worker", say("a worker"), [spec.nginx.config])] if spec.nginx is not None else []
    servers = [server.config for server in spec.upstream_servers]
    return [*tested, _Group("upstream", say("a worker of an upstream server"), servers)] if servers else tested


def _of_group(context: TrialContext, group: _Group) -> Finding:
    """A descriptor is a connection to a client or to an upstream server, but for the few that every worker has, and
    for the files that open_file_cache keeps open. Where connections hide among those, nginx's log tells: ``nginx-log``.
    """
    window = context.host.window
    series = context.host.series.find("ngxlab_process_open_fds", role=group.role)
    peaks = [peak for one in series if window is not None and (peak := one.maximum(window)) is not None]
    if not peaks:
        return unavailable("open descriptors of {group} were not read in the window", group=group.name)
    connections = min(_worker_connections(config) for config in group.configs)
    limits = [limit for config in group.configs if (limit := _descriptor_limit(context, config)) is not None]
    limited = say("the limit {limit}", limit=min(limits)) if limits else say("the limit is unknown")
    most = max(peaks)
    cached = min(max(_cached_files(config) for config in group.configs), most)
    seen = say(
        "{group} had up to {most:.0f} descriptors open, connections to clients and upstream "
        "servers together; worker_connections is {connections}, {limited}",
        group=group.name,
        most=most,
        connections=connections,
        limited=limited,
    )
    if cached:
        seen = say("{seen}; up to {cached:.0f} of them are files that open_file_cache keeps", seen=seen, cached=cached)
    if most - cached > connections * _KEPT_SHARE or (limits and most > _MAX_SHARE * min(limits)):
        return Finding("error", seen, _RAISE_LIMITS)
    return passed(seen)


def _worker_connections(config: str) -> int:
    return int((directive_values(config, "worker_connections") or [str(_NGINX_DEFAULT_CONNECTIONS)])[-1])


def _cached_files(config: str) -> int:
    """How many files a worker may keep open: the ``max`` of each open_file_cache, which are caches of their own."""
    found = (_CACHE_MAX.search(value) for value in directive_values(config, "open_file_cache"))
    return sum(int(match["max"]) for match in found if match)


def _descriptor_limit(context: TrialContext, config: str) -> int | None:
    configured = directive_values(config, "worker_rlimit_nofile")
    if configured:
        return int(configured[-1])
    inventory = context.host.inventory
    text = inventory.limits.get("nofile_hard", "") if inventory is not None else ""
    return int(text) if text.isdigit() else None


DESCRIPTORS = trial_check(
    "descriptors", every_host(_descriptors, "target", "upstream"), _RAISE_LIMITS, max_percent=100 * _MAX_SHARE
)
