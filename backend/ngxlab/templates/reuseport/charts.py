"""The charts of the reuseport template: balance first, then spread of latency, then rate."""

from collections.abc import Callable

from ngxlab.analysis.schemas import WorkerShare
from ngxlab.templates.chart_data import Line, Point
from ngxlab.templates.charts import ArmBars, ChartSpec, CustomLines, TimeSeries
from ngxlab.templates.evidence import Evidence, metric


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


CHARTS: tuple[ChartSpec, ...] = (
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
    ArmBars(
        key="cpu-cv",
        title="Imbalance of worker CPU (CV)",
        why="The arms differ in balance directly: 0 is even, and one of four workers doing all the work gives 1.73.",
        quantity=metric("worker_cpu_cv"),
    ),
    ArmBars(
        key="latency-stdev",
        title="Latency, standard deviation",
        why="The article's second claim: the standard deviation falls if no worker is overloaded.",
        quantity=metric("latency_stdev_us"),
    ),
    ArmBars(
        key="latency-p99",
        title="Latency, p99",
        why="The worst case may also get worse: a request in a busy worker's queue waits although others are idle.",
        quantity=metric("latency_p99_us"),
    ),
    ArmBars(
        key="rate",
        title="Requests per second",
        why="The article's third claim, made on 36 cores. If the generator shares the cores, both limit the rate.",
        quantity=metric("requests_per_s"),
    ),
    TimeSeries(
        key="workers-cpu",
        title="CPU of each worker",
        why="Whether the imbalance lasts, or moves from worker to worker.",
        series="worker_cpu_share",
    ),
    TimeSeries(
        key="workers-connections",
        title="Connections of each worker",
        why="How connections are spread while they are opened, and whether that changes.",
        series="worker_connections",
    ),
    TimeSeries(
        key="accepts",
        title="Connections accepted per second",
        why="How much the accept path is used: hardly at all with keep-alive, by every request with close.",
        series="accepts_per_s",
    ),
)
