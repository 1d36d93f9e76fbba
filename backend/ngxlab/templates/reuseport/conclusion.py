"""The conclusion of the reuseport template: balance, spread of latency and rate, each with its own evidence."""

from collections.abc import Iterator

from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.templates.evidence import Evidence, metric

_EVEN_CV = 0.35
_ONE_SIDED_CV = 0.8
_MANY_CORES_RATIO = 2.0
_COUNTER_READING = (
    'Cloudflare\'s "Why does one NGINX worker take all the load?" describes the cause: a connection given to a busy '
    "worker waits for it, even while others are idle."
)


def conclude(evidence: Evidence) -> list[str]:
    """Balance of each arm, then spread and rate of each arm against the baseline, then what limits these claims.

    The article measured its factor of 2 to 3 in requests/s on 36 cores. If the generator shares the cores, a rate says
    little, and the conclusion says so.
    """
    sentences = [text for arm in evidence.arms if (text := _balance(arm))]
    for key in ("worker_cpu_cv", "latency_stdev_us", "requests_per_s"):
        statements = (
            evidence.statement(arm, evidence.baseline, metric(key)) for arm in evidence.arms if not arm.is_baseline
        )
        sentences += [text for text in statements if text]
    return [*sentences, *_worst_case(evidence), *_limits(evidence)]


def _balance_words(cv: float) -> str:
    if cv <= _EVEN_CV:
        return "shared the work evenly among its workers"
    if cv < _ONE_SIDED_CV:
        return "shared the work unevenly among its workers"
    return "left most of the work to few of its workers"


def _balance(arm: ArmAnalysis) -> str | None:
    if arm.balance is None or arm.balance.cpu_cv is None:
        return None
    cv = arm.balance.cpu_cv
    busiest = arm.balance.workers[0].cpu_share_percent if arm.balance.workers else None
    share = f"; the busiest did {busiest:.0f} % of the work" if busiest is not None else ""
    return f"`{arm.label}` {_balance_words(cv)} (CV of CPU {cv:.2f}{share})."


def _worst_case(evidence: Evidence) -> Iterator[str]:
    """The opposite effect of the same option, if this run shows it."""
    sharded, shared = evidence.arm({"accept": "reuseport"}), evidence.arm({"accept": "mutex-off"})
    comparison = evidence.compare(sharded, shared, metric("latency_p99_us"))
    if comparison is not None and comparison.verdict == "worse":
        size = f"{comparison.text}, 95 % CI {comparison.ci_text}"
        yield f"`reuseport` made the worst case worse: p99 against `accept_mutex off` {size}. {_COUNTER_READING}"


def _limits(evidence: Evidence) -> Iterator[str]:
    if evidence.checks("shared-cores", "generator-saturated"):
        yield (
            "The generator shares cores with nginx here, so both together limit requests per second. Look at the "
            "balance, and repeat the run with a generator on another host before you claim a rate."
        )
    if evidence.parameters.get("connection_mode") == "keep-alive":
        yield (
            "Connections were kept alive, so each was accepted once and its worker kept it. The run shows how they "
            "were spread, not what accepting costs; with connections closed after each response it would show that too."
        )
