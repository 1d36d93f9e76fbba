"""The conclusion of the reuseport template: balance, spread of latency and rate, each with its own evidence."""

from collections.abc import Iterator

from ngxlab_contracts.sentences import Sentence, say

from ngxlab.templates.evidence import Evidence, metric

_QUANTITIES = ("worker_cpu_cv", "requests_per_s", "latency_p99_us", "latency_stdev_us")
_COUNTER_READING = say(
    'Cloudflare\'s "Why does one NGINX worker take all the load?" describes how that can happen: a connection given to '
    "a busy worker waits for it, even while others are idle."
)


def conclude(evidence: Evidence) -> list[Sentence]:
    """Each arm against the baseline, then the option's opposite effect, then what limits the statements."""
    statements = (
        evidence.statement(arm, evidence.baseline, metric(key)) for key in _QUANTITIES for arm in evidence.others
    )
    return [*(text for text in statements if text), *_worst_case(evidence), *_limits(evidence)]


def _worst_case(evidence: Evidence) -> Iterator[Sentence]:
    """The opposite effect of the same option, if this run shows it: against the arm whose workers share one queue."""
    sharded, shared = evidence.arm({"accept": "reuseport"}), evidence.arm({"accept": "mutex-off"})
    comparison = evidence.compare(sharded, shared, metric("latency_p99_us"))
    if comparison is None or comparison.verdict not in {"worse", "higher"}:
        return
    stated = evidence.statement(sharded, shared, metric("latency_p99_us"))
    if stated is not None and shared is not None and not shared.is_baseline:
        yield stated
    yield say(
        "So `reuseport` made the worst case worse than one shared queue did. {counter_reading}",
        counter_reading=_COUNTER_READING,
    )


def _limits(evidence: Evidence) -> Iterator[Sentence]:
    """The article measured its factor of 2 to 3 in requests/s on 36 cores that no generator shared."""
    if evidence.checks("shared-cores"):
        yield say(
            "Generator and nginx shared cores, so requests/s may be limited by either. Repeat the run with a generator "
            "on another host before you claim a rate."
        )
    if evidence.parameters.get("connection_mode") == "keep-alive":
        yield say(
            "Connections were kept alive, so each was accepted once and its worker kept it. The run shows how they "
            "were spread, not what accepting costs; with connections closed after each response it would show that too."
        )
