"""Validity checks (docs/checks.md), one by one. A check whose data are missing is ``unavailable``, not a pass."""

from collections.abc import Sequence

from ngxlab.analysis.checks import (
    between_arms,
    configuration,
    connections,
    cores,
    descriptors,
    generators,
    host,
    ineffective,
    network,
    nginx_log,
    page_cache,
    perturbations,
    ports,
    sampling,
    schedule,
    served,
    steady,
    together,
)
from ngxlab.analysis.checks.check import RunCheck, TrialCheck
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.schemas import CheckResult, TrialSummary

TRIAL_CHECKS: tuple[TrialCheck, ...] = (
    generators.SATURATED,
    schedule.BEHIND,
    cores.SHARED_CORES,
    generators.TIMEOUTS,
    generators.ERRORS,
    connections.CONCURRENCY,
    ports.PORTS,
    descriptors.DESCRIPTORS,
    nginx_log.NGINX_LOG,
    network.ACCEPT_QUEUE,
    network.CONNTRACK,
    page_cache.PAGE_CACHE,
    host.CPU_FREQUENCY,
    host.NOISY_HOST,
    connections.KEEPALIVE_REQUESTS,
    network.LOOPBACK,
    network.LINK_SPEED,
    host.CLOCK_SKEW,
    steady.STEADY,
    generators.COORDINATED_OMISSION,
    together.ACCOUNTING,
    configuration.CONFIG_LIVE,
    sampling.SAMPLER,
    together.START_SPREAD,
    perturbations.PERTURBATIONS,
    sampling.DEGRADED,
    served.SERVED_LATENCY,
    served.SERVED_RATE,
    ineffective.LIMITS_BYPASSED,
    ineffective.HTTP_VERSION,
    ineffective.COMPRESSION,
)

RUN_CHECKS: tuple[RunCheck, ...] = (between_arms.ENVIRONMENT, between_arms.ACCESS_LOG)


def check_trial(record: TrialRecord, summary: TrialSummary) -> list[CheckResult]:
    """Every check of one trial, in the order of the list. Empty if no host of the record is the target."""
    target = record.target
    if target is None:
        return []
    context = TrialContext(record, summary, target)
    return [check.apply(context) for check in TRIAL_CHECKS]


def check_run(summaries: Sequence[TrialSummary]) -> list[CheckResult]:
    """The checks that compare trials."""
    return [check.apply(list(summaries)) for check in RUN_CHECKS]
