"""What the reuseport template answers: balance, spread of latency and rate, each on its own evidence."""

from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.templates.evidence import Evidence

_EVEN_CV = 0.35
_ONE_SIDED_CV = 0.8


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
    return f"{arm.label} spread the work over the workers {_balance_words(cv)} (CV of CPU {cv:.2f}{share})"


def _shares_cores(evidence: Evidence) -> bool:
    concerned = {"shared-cores", "generator-saturated"}
    return any(c.key in concerned and c.severity in {"warning", "error"} for c in evidence.analysis.checks.results)


def conclude(evidence: Evidence) -> list[str]:
    """Balance per arm, then what limits a claim about the rate.

    The article's factor of 2 to 3 in requests/s was measured on 36 cores with an idle generator beside it; where
    the generator shares the cores, a rate says little and the text says so.
    """
    sentences = [f"{text}." for arm in evidence.arms if (text := _balance(arm))]
    if _shares_cores(evidence):
        sentences.append(
            "The generator shares cores with nginx here, so requests per second are bounded by both together: "
            "read the balance, and repeat with a generator on another host before you claim a rate."
        )
    return sentences
