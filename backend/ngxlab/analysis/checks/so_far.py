"""The checks that can be made while a trial is measured, on what its hosts have sent so far."""

from ngxlab.analysis.checks import (
    connections,
    cores,
    descriptors,
    generators,
    host,
    ineffective,
    network,
    nginx_log,
    page_cache,
    ports,
    sampling,
    schedule,
    together,
)
from ngxlab.analysis.checks.check import TrialCheck
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.records.so_far import so_far
from ngxlab.analysis.schemas import CheckResult
from ngxlab.analysis.summary.errors_so_far import with_errors_so_far
from ngxlab.analysis.summary.trial import summarise_trial

CHECKS_SO_FAR: tuple[TrialCheck, ...] = (
    generators.SATURATED,
    schedule.BEHIND,
    cores.SHARED_CORES,
    generators.TIMEOUTS,
    generators.ERRORS,
    ports.PORTS,
    descriptors.DESCRIPTORS,
    nginx_log.NGINX_LOG,
    network.ACCEPT_QUEUE,
    network.CONNTRACK,
    page_cache.PAGE_CACHE,
    host.CPU_FREQUENCY,
    host.NOISY_HOST,
    connections.KEEPALIVE_REQUESTS,
    network.LINK_SPEED,
    host.CLOCK_SKEW,
    sampling.SAMPLER,
    together.START_SPREAD,
    sampling.DEGRADED,
    ineffective.LIMITS_BYPASSED,
    ineffective.HTTP_VERSION,
    ineffective.COMPRESSION,
)
"""The others need the generators' final counts, the whole window, or what is read after it."""


def check_so_far(record: TrialRecord) -> list[CheckResult] | None:
    """Warnings and errors of a trial under way; ``None`` while its window is too short to tell."""
    cut_off = so_far(record)
    target = cut_off.target if cut_off is not None else None
    if cut_off is None or target is None:
        return None
    context = TrialContext(cut_off, with_errors_so_far(summarise_trial(cut_off), cut_off), target)
    results = [check.apply(context) for check in CHECKS_SO_FAR]
    return [result for result in results if result.severity in {"warning", "error"}]
