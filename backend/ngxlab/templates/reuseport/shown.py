"""What the reuseport template computes for charts and figures: shares of workers, rates against the default."""

from collections.abc import Callable

from ngxlab.analysis.schemas import ArmAnalysis, WorkerShare
from ngxlab.templates.chart_data import Line, Point
from ngxlab.templates.charts import CustomLines
from ngxlab.templates.evidence import Evidence, metric

_RATE = metric("requests_per_s")


def _shares(read: Callable[[WorkerShare], float | None]) -> Callable[[Evidence], list[Line]]:
    """A line for each arm over its workers, the busiest first."""

    def lines(evidence: Evidence) -> list[Line]:
        of_arms = []
        for arm in evidence.arms:
            workers = arm.balance.workers if arm.balance is not None else []
            shares = [(worker.rank, read(worker)) for worker in workers]
            points = [Point(x=rank, y=share, arm=arm.key) for rank, share in shares if share is not None]
            of_arms.append(Line(label=arm.label, points=points))
        return of_arms

    return lines


LINES = (
    CustomLines(
        key="cpu-by-rank",
        title="CPU by worker, the busiest first",
        why="If the workers share the work evenly, the line is flat; if it is steep, one worker does most of the work.",
        x_title="worker by rank",
        y_title="Share of all workers' CPU",
        unit="%",
        lines=_shares(lambda worker: worker.cpu_share_percent),
    ),
    CustomLines(
        key="connections-by-rank",
        title="Connections by worker",
        why="A keep-alive connection stays with the worker that accepted it: this causes the imbalance of CPU.",
        x_title="worker by rank",
        y_title="Share of all connections",
        unit="%",
        lines=_shares(lambda worker: worker.connections_share_percent),
    ),
)


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


OWN = {"rate_against_default": _rate_against_default, "worker_cpu": _worker_cpu}
