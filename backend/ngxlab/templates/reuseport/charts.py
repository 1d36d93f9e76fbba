"""The charts of the reuseport template: balance first, then spread, then rate."""

from collections.abc import Callable

from ngxlab.analysis.schemas import WorkerShare
from ngxlab.templates.chart_data import Line, Point
from ngxlab.templates.charts import ArmBars, ChartSpec, CustomLines, TimeSeries
from ngxlab.templates.evidence import Evidence, metric


def _shares(read: Callable[[WorkerShare], float | None]) -> Callable[[Evidence], list[Line]]:
    """A line for each arm over the workers, the busiest first."""

    def lines(evidence: Evidence) -> list[Line]:
        found = []
        for arm in evidence.arms:
            workers = arm.balance.workers if arm.balance is not None else []
            shares = [(worker.rank, read(worker)) for worker in workers]
            points = [Point(x=rank, y=share, arm=arm.key) for rank, share in shares if share is not None]
            found.append(Line(label=arm.label, points=points))
        return found

    return lines


CHARTS: tuple[ChartSpec, ...] = (
    CustomLines(
        key="cpu-by-rank",
        title="CPU by worker, the busiest first",
        why="Workers that share evenly make a flat line; a steep one is a worker that does the others' work.",
        x_title="worker by rank",
        y_title="Share of all workers' CPU",
        unit="%",
        lines=_shares(lambda worker: worker.cpu_share_percent),
    ),
    CustomLines(
        key="connections-by-rank",
        title="Connections by worker",
        why="Kept alive, a connection stays where it was accepted: here lies the cause of the CPU's imbalance.",
        x_title="worker by rank",
        y_title="Share of all connections",
        unit="%",
        lines=_shares(lambda worker: worker.connections_share_percent),
    ),
    ArmBars(
        key="cpu-cv",
        title="Imbalance of the workers' CPU",
        why="Balance is what the arms differ in directly: 0 is even, and one of four workers doing all gives 1.73.",
        quantity=metric("worker_cpu_cv"),
    ),
    ArmBars(
        key="latency-stdev",
        title="Spread of latency",
        why="The article's second claim: standard deviation falls when no worker is overloaded.",
        quantity=metric("latency_stdev_us"),
    ),
    ArmBars(
        key="latency-p99",
        title="Latency, p99",
        why="The worst case may also get worse: a request behind a busy worker's queue waits, though others are idle.",
        quantity=metric("latency_p99_us"),
    ),
    ArmBars(
        key="rate",
        title="Requests per second",
        why="The article's third claim, made on 36 cores. Where the generator shares the cores, both bound it.",
        quantity=metric("requests_per_s"),
    ),
    TimeSeries(
        key="workers-cpu",
        title="CPU of each worker",
        why="Whether the imbalance lasts, or wanders from worker to worker.",
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
        why="How hard the accept path is used: hardly at all with keep-alive, by every request with close.",
        series="accepts_per_s",
    ),
)
