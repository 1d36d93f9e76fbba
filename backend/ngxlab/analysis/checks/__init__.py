"""Automatic validity rules (DOMAIN 5), listed one by one. What cannot be known is ``unavailable``, never a pass."""

from collections.abc import Sequence

from ngxlab.analysis.checks import (
    between_arms,
    connections,
    cores,
    descriptors,
    generators,
    host,
    network,
    nginx_log,
    open_loop,
    perturbed,
    ports,
    together,
)
from ngxlab.analysis.checks.check import RunCheck, TrialCheck, TrialContext
from ngxlab.analysis.checks.every_host import every_host
from ngxlab.analysis.checks.page_cache import page_cache
from ngxlab.analysis.checks.steady import steady
from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.schemas import CheckResult, TrialSummary

TRIAL_CHECKS: tuple[TrialCheck, ...] = (
    TrialCheck(
        1, "generator-saturated", "The generator had CPU to spare", every_host(generators.saturated, "generator")
    ),
    TrialCheck(2, "open-loop-behind", "The open loop kept its plan", every_host(open_loop.behind, "generator")),
    TrialCheck(3, "shared-cores", "Generator and nginx have cores of their own", cores.shared_cores),
    TrialCheck(4, "timeouts", "No request timed out", every_host(generators.timeouts, "generator")),
    TrialCheck(5, "errors", "Almost every request succeeded", every_host(generators.errors, "generator")),
    TrialCheck(6, "concurrency", "All planned connections were open", connections.concurrency),
    TrialCheck(7, "ports", "Local ports were not scarce", every_host(ports.ports)),
    TrialCheck(8, "descriptors", "Workers stayed clear of their limits", descriptors.descriptors),
    TrialCheck(9, "nginx-log", "nginx logged nothing serious", nginx_log.nginx_log),
    TrialCheck(10, "accept-queue", "No connection was dropped at the listen queue", network.accept_queue),
    TrialCheck(11, "conntrack", "The connection-tracking table had room", every_host(network.conntrack)),
    TrialCheck(12, "page-cache", "Files came from where they were meant to: disk or memory", page_cache),
    TrialCheck(13, "cpu-frequency", "The CPU frequency was fixed", every_host(host.cpu_frequency)),
    TrialCheck(14, "noisy-host", "Nothing else ran on the host", every_host(host.noisy_host)),
    TrialCheck(16, "keepalive-requests", "Connections were kept alive", connections.keepalive_requests),
    TrialCheck(
        18, "loopback", "The load came over a network device", every_host(network.loopback, "target", "generator")
    ),
    TrialCheck(19, "link-speed", "The network was not the limit", every_host(network.link_speed)),
    TrialCheck(20, "clock-skew", "Clocks agree", every_host(host.clock_skew)),
    TrialCheck(21, "steady", "The rate was steady over the window", steady),
    TrialCheck(22, "coordinated-omission", "Latency is what users would see", generators.coordinated_omission),
    TrialCheck(23, "accounting", "Three counts of the requests agree", together.accounting),
    TrialCheck(24, "config-live", "nginx ran what was intended", perturbed.config_live),
    TrialCheck(25, "sampler", "Sampling was complete and cheap", every_host(host.sampler)),
    TrialCheck(0, "start-spread", "All streams began together", together.start_spread),
    TrialCheck(0, "perturbations", "Every perturbation was done", perturbed.all_done),
    TrialCheck(0, "measurement-degraded", "Everything was measured as planned", host.degraded),
)

RUN_CHECKS: tuple[RunCheck, ...] = (
    RunCheck(15, "environment", "The host stayed the same over the run", between_arms.environments),
    RunCheck(17, "access-log", "Every arm logs alike, and cheaply", between_arms.access_logs),
)


def check_trial(record: TrialRecord, summary: TrialSummary) -> list[CheckResult]:
    """Every rule on one trial, in the order of the list. Empty if the target is not known."""
    target = record.target
    if target is None:
        return []
    context = TrialContext(record, summary, target)
    return [check.apply(context) for check in TRIAL_CHECKS]


def check_run(summaries: Sequence[TrialSummary]) -> list[CheckResult]:
    """The rules that compare trials."""
    return [check.apply(list(summaries)) for check in RUN_CHECKS]
