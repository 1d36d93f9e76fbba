"""Did nginx's workers come near their limits on descriptors and connections?"""

from ngxlab.analysis.checks.check import TrialCheck
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.checks.finding import Finding, passed, unavailable
from ngxlab.analysis.summary.environment import directive_values

_MAX_SHARE = 0.90
_NGINX_DEFAULT_CONNECTIONS = 512
_KEPT_SHARE = 15 / 16
"""Beyond it nginx closes idle connections (``ngx_drain_connections``)."""
_RAISE_LIMITS = "raise worker_connections and worker_rlimit_nofile, or use more workers"


def _descriptors(context: TrialContext) -> Finding:
    """How near the workers came to their limits on descriptors and connections."""
    window = context.host.window
    series = context.host.series.find("ngxlab_process_open_fds", role="nginx-worker")
    peaks = [peak for one in series if window is not None and (peak := one.maximum(window)) is not None]
    if not peaks:
        return unavailable("open descriptors of nginx's workers were not read in the window")
    config = context.host.nginx.config
    connections = int((directive_values(config, "worker_connections") or [str(_NGINX_DEFAULT_CONNECTIONS)])[-1])
    limit = _descriptor_limit(context)
    seen = f"a worker had up to {max(peaks):.0f} descriptors open; worker_connections is {connections}"
    seen += f", the limit {limit}" if limit is not None else ", the limit is unknown"
    if max(peaks) > connections * _KEPT_SHARE or (limit is not None and max(peaks) > _MAX_SHARE * limit):
        return Finding("error", seen, _RAISE_LIMITS)
    return passed(seen)


def _descriptor_limit(context: TrialContext) -> int | None:
    configured = directive_values(context.host.nginx.config, "worker_rlimit_nofile")
    if configured:
        return int(configured[-1])
    inventory = context.host.inventory
    text = inventory.limits.get("nofile_hard", "") if inventory is not None else ""
    return int(text) if text.isdigit() else None


DESCRIPTORS = TrialCheck(
    number=8,
    key="descriptors",
    title="Workers stayed clear of their limits",
    failed="Workers came close to their limits",
    rule=f"Error if a worker holds more than 15/16 of `worker_connections`, or more than {100 * _MAX_SHARE:g} % of "
    "its limit on file descriptors.",
    data="Open descriptors of every worker (`/proc/PID/fd`); `worker_connections` and `worker_rlimit_nofile` of the "
    "configuration, else the host's hard limit.",
    severities=("error",),
    voids="Requests/s and connections held: nginx closes idle connections, or refuses new ones, near these limits.",
    remedies=(_RAISE_LIMITS,),
    source="nginx, Core functionality, `worker_connections` and `worker_rlimit_nofile`; `ngx_drain_connections` in "
    "`src/core/ngx_connection.c`. Before a run starts, `runs/preflight/capacity.py` refuses what exceeds them.",
    judge=_descriptors,
)
