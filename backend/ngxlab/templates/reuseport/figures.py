"""What the article and a later test of the same option published, beside the run's own values."""

from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.templates.evidence import Evidence, metric
from ngxlab.templates.figures import Figure, by_level

_RATE = metric("requests_per_s")


def _rate_against_default(evidence: Evidence, arm: ArmAnalysis) -> str | None:
    default = evidence.arm({"accept": "mutex-on"})
    if default is None or evidence.mean(arm, _RATE) is None:
        return None
    comparison = evidence.compare(arm, default, _RATE)
    if arm is default or comparison is None:
        return "1x" if arm is default else None
    return f"{comparison.text} ({comparison.ci_text})" if comparison.ci_text else comparison.text


def _worker_cpu(evidence: Evidence, arm: ArmAnalysis) -> str | None:
    """CPU of the least and the most busy worker over all trials, in percent of one core."""
    busy = [worker.cpu_percent for trial in evidence.usable(arm) for worker in trial.workers]
    measured = [percent for percent in busy if percent is not None]
    return f"{min(measured):.0f} to {max(measured):.0f} %" if measured else None


FIGURES = (
    Figure(
        label="Requests per second, against accept_mutex on",
        where="local test on 36 cores: 4 workers and the generator on one machine",
        article=by_level(
            "accept", {"mutex-on": "1x", "mutex-off": "less than half of reuseport", "reuseport": "2x to 3x"}
        ),
        yours=_rate_against_default,
    ),
    Figure(
        label="Latency, mean",
        where="remote test: generator on another machine",
        article=by_level("accept", {"mutex-on": "15.65 ms", "mutex-off": "15.59 ms", "reuseport": "12.35 ms"}),
        yours=metric("latency_mean_us"),
    ),
    Figure(
        label="Latency, standard deviation",
        where="remote test",
        article=by_level("accept", {"mutex-on": "26.59 ms", "mutex-off": "26.48 ms", "reuseport": "3.15 ms"}),
        yours=metric("latency_stdev_us"),
    ),
    Figure(
        label="CPU of the least and the most busy worker",
        where="a later test of the option: CPU of each of eight servers behind a balancer",
        article=by_level("accept", {"mutex-off": "20 to 40 %", "reuseport": "12 %"}),
        yours=_worker_cpu,
        note="The later test gives no configuration except the option; its default is taken to be accept_mutex off.",
    ),
)
