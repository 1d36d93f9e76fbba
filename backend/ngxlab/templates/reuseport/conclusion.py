"""What the reuseport template answers: balance, spread of latency and rate, each on its own evidence."""

from collections.abc import Iterator

from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.templates.evidence import Evidence, metric

_EVEN_CV = 0.35
_ONE_SIDED_CV = 0.8
_MANY_CORES_RATIO = 2.0
_COUNTER_READING = (
    'Cloudflare\'s "Why does one NGINX worker take all the load?" describes how: a connection given to a busy worker '
    "waits for it, even while others are idle."
)


def conclude(evidence: Evidence) -> list[str]:
    """Balance per arm, then spread and rate of each arm against the baseline, then what limits these claims.

    The article's factor of 2 to 3 in requests/s was measured on 36 cores; where the generator shares the cores, a
    rate says little and the text says so.
    """
    sentences = [text for arm in evidence.arms if (text := _balance(arm))]
    for key in ("worker_cpu_cv", "latency_stdev_us", "requests_per_s"):
        found = (
            evidence.statement(arm, evidence.baseline, metric(key)) for arm in evidence.arms if not arm.is_baseline
        )
        sentences += [text for text in found if text]
    return [*sentences, *_worst_case(evidence), *_limits(evidence)]


def _balance_words(cv: float) -> str:
    if cv <= _EVEN_CV:
        return "evenly"
    return "unevenly" if cv < _ONE_SIDED_CV else "on few of them"


def _balance(arm: ArmAnalysis) -> str | None:
    if arm.balance is None or arm.balance.cpu_cv is None:
        return None
    cv = arm.balance.cpu_cv
    busiest = arm.balance.workers[0].cpu_share_percent if arm.balance.workers else None
    share = f"; the busiest did {busiest:.0f} % of the work" if busiest is not None else ""
    return f"`{arm.label}` spread the work over the workers {_balance_words(cv)} (CV of CPU {cv:.2f}{share})."


def _worst_case(evidence: Evidence) -> Iterator[str]:
    """The other reading of the same option, where this run shows it."""
    sharded, shared = evidence.arm({"accept": "reuseport"}), evidence.arm({"accept": "mutex-off"})
    comparison = evidence.compare(sharded, shared, metric("latency_p99_us"))
    if comparison is not None and comparison.verdict == "worse":
        size = f"{comparison.text}, 95 % CI {comparison.ci_text}"
        yield f"`reuseport` made the worst case worse: p99 against `accept_mutex off` {size}. {_COUNTER_READING}"


def _limits(evidence: Evidence) -> Iterator[str]:
    if evidence.checks("shared-cores", "generator-saturated"):
        yield (
            "The generator shares cores with nginx here, so requests per second are bounded by both together: "
            "read the balance, and repeat with a generator on another host before you claim a rate."
        )
    if evidence.parameters.get("connection_mode") == "keep-alive":
        yield (
            "Connections were kept alive, so each was accepted once and its worker kept it: this shows how they were "
            "spread, not what accepting costs. With connections closed after each response it shows that too."
        )
