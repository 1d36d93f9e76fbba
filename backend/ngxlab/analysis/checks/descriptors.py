"""Did nginx's workers come near their limits on descriptors and connections?"""

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, unavailable
from ngxlab.analysis.summary.environment import directive_values

_FULL = 0.90
_NGINX_DEFAULT_CONNECTIONS = 512


def descriptors(context: TrialContext) -> Finding:
    """After the fact: how near the workers came to their limits on descriptors and on connections."""
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
    if max(peaks) > connections * 15 / 16 or (limit is not None and max(peaks) > _FULL * limit):
        return Finding("error", seen, "raise worker_connections and worker_rlimit_nofile, or spread over more workers")
    return passed(seen)


def _descriptor_limit(context: TrialContext) -> int | None:
    configured = directive_values(context.host.nginx.config, "worker_rlimit_nofile")
    if configured:
        return int(configured[-1])
    inventory = context.host.inventory
    text = inventory.limits.get("nofile_hard", "") if inventory is not None else ""
    return int(text) if text.isdigit() else None
