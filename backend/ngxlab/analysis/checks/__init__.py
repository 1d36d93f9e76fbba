"""Automatic validity rules (DOMAIN 5), listed one by one. What cannot be known is ``unavailable``, never a pass."""

from collections.abc import Sequence

from ngxlab.analysis.checks import between_arms, host, limits, load
from ngxlab.analysis.checks.result import RunCheck, TrialCheck, TrialContext
from ngxlab.analysis.checks.steady import steady
from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.schemas import CheckResult, TrialSummary

TRIAL_CHECKS: tuple[TrialCheck, ...] = (
    TrialCheck(1, "generator-saturated", "The generator had CPU to spare", load.generator_saturated),
    TrialCheck(3, "shared-cores", "Generator and nginx have cores of their own", host.shared_cores),
    TrialCheck(4, "timeouts", "No request timed out", load.timeouts),
    TrialCheck(5, "errors", "Almost every request succeeded", load.errors),
    TrialCheck(6, "concurrency", "All planned connections were open", load.concurrency),
    TrialCheck(7, "ports", "Local ports were not scarce", limits.ports),
    TrialCheck(8, "descriptors", "Workers stayed clear of their limits", limits.descriptors),
    TrialCheck(9, "nginx-log", "nginx logged nothing serious", limits.nginx_log),
    TrialCheck(10, "accept-queue", "No connection was dropped at the listen queue", limits.accept_queue),
    TrialCheck(11, "conntrack", "The connection-tracking table had room", limits.conntrack),
    TrialCheck(13, "cpu-frequency", "The CPU frequency was fixed", host.cpu_frequency),
    TrialCheck(14, "noisy-host", "Nothing else ran on the host", host.noisy_host),
    TrialCheck(16, "keepalive-requests", "Connections were kept alive", load.keepalive_requests),
    TrialCheck(18, "loopback", "The load came over a network device", limits.loopback),
    TrialCheck(19, "link-speed", "The network was not the limit", limits.link_speed),
    TrialCheck(20, "clock-skew", "Clocks agree", host.clock_skew),
    TrialCheck(21, "steady", "The rate was steady over the window", steady),
    TrialCheck(22, "coordinated-omission", "Latency is what users would see", load.coordinated_omission),
    TrialCheck(23, "accounting", "Three counts of the requests agree", load.accounting),
    TrialCheck(25, "sampler", "Sampling was complete and cheap", host.sampler),
    TrialCheck(0, "measurement-degraded", "Everything was measured as planned", host.degraded),
)

RUN_CHECKS: tuple[RunCheck, ...] = (
    RunCheck(15, "environment", "The host stayed the same over the run", between_arms.environments),
    RunCheck(17, "access-log", "Every arm logs alike, and cheaply", between_arms.access_logs),
)


def check_trial(record: TrialRecord, summary: TrialSummary) -> list[CheckResult]:
    """Every rule on one trial, in the order of the list. Empty if no host reported anything."""
    target = record.target
    if target is None:
        return []
    context = TrialContext(record, summary, target)
    return [check.apply(context) for check in TRIAL_CHECKS]


def check_run(summaries: Sequence[TrialSummary]) -> list[CheckResult]:
    """The rules that compare trials."""
    return [check.apply(list(summaries)) for check in RUN_CHECKS]
