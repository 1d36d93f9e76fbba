"""Charts: latency over the swept parameter, then second by second, then the causes."""

from collections.abc import Callable, Iterator

from ngxlab.analysis.metrics import Metric
from ngxlab.templates.chart_data import Mark
from ngxlab.templates.charts import ArmBars, ChartSpec, LevelLine, TimeSeries
from ngxlab.templates.dynamic_upstreams.model import LockModel
from ngxlab.templates.dynamic_upstreams.quantities import (
    CALL,
    ERRORS,
    EXCESS,
    FAILED,
    P50_DURING,
    P99_AFTER,
    P99_DURING,
    RECOVERY,
)
from ngxlab.templates.dynamic_upstreams.sweep import CHANGED_NODES
from ngxlab.templates.evidence import Evidence


def thresholds(evidence: Evidence) -> list[Mark]:
    """The threshold by the article's rule, for each number of workers and of nodes in all among the arms."""
    if evidence.parameters.get("through") != "lua":
        return []
    models = [LockModel.of(evidence.parameters, evidence.variables(arm)) for arm in evidence.arms]
    by_nodes = {round(model.threshold_nodes): model for model in models if model.threshold_nodes is not None}
    return [
        Mark(
            axis="x",
            at=nodes,
            label=f"predicted threshold with {model.workers:g} workers",
            help=f"An update of {nodes} nodes holds the simulated lock for {model.threshold_ms:g} ms: the read "
            "interval divided by the workers.",
            simulated=True,
        )
        for nodes, model in by_nodes.items()
    ]


def _none(_: Evidence) -> list[Mark]:
    return []


def _charts(key: str, title: str, why: str, quantity: Metric) -> Iterator[ChartSpec]:
    """A line over the changed nodes if they are swept, else a bar for each arm."""
    marks: Callable[[Evidence], list[Mark]] = thresholds if quantity.info.unit == "us" else _none
    yield ArmBars(key=key, title=title, why=why, quantity=quantity, unless_swept=CHANGED_NODES.factor)
    yield LevelLine(
        key=f"{key}-by-nodes",
        title=title,
        why=why,
        quantity=quantity,
        factor=CHANGED_NODES.factor,
        variable=CHANGED_NODES.name,
        x_title="Changed nodes",
        marks=marks,
    )


CHARTS: tuple[ChartSpec, ...] = (
    *_charts(
        "p99-during",
        "Latency during the churn, p99",
        "The article's first result: above some number of changed nodes, latency rises steeply.",
        P99_DURING,
    ),
    *_charts(
        "p50-during",
        "Latency during the churn, median",
        "As long as workers wait now and then, the median stays low; when most of them stand still, it rises.",
        P50_DURING,
    ),
    *_charts("p99-after", "Latency after the churn, p99", "The effect that remains after the last change.", P99_AFTER),
    *_charts(
        "excess",
        "Excess latency, area over p99",
        "Area between p99 and its value before the churn, until the end: size and duration in one number.",
        EXCESS,
    ),
    *_charts(
        "recovery",
        "Recovery time after the churn",
        "From the end of the last change to the last second with an unusual p99.",
        RECOVERY,
    ),
    *_charts(
        "call",
        "Duration of a churn call",
        "The caller also waits for the lock, and then for the update in the worker that received the call.",
        CALL,
    ),
    *_charts(
        "lost",
        "Requests that failed",
        "Waiting delays requests; a reload may close connections that carry them.",
        ERRORS,
    ),
    *_charts("failed", "Failed churn calls", "Refused with 409 by trylock, or not answered in time.", FAILED),
    TimeSeries(
        key="latency",
        title="Latency over a trial",
        why="Percentiles of each second; the marks are changes. Values far above p50 are requests of waiting workers.",
        series="latency_ms",
        lines=("p50", "p95", "p99"),
    ),
    TimeSeries(
        key="errors",
        title="Errors over a trial",
        why="Waiting should delay requests, not lose them.",
        series="stream_errors_per_s",
    ),
    TimeSeries(
        key="backlog",
        title="Requests without a connection",
        why="With enough connections no request waits in the generator; if one does, its latency includes that wait.",
        series="stream_backlog",
    ),
    TimeSeries(
        key="threads",
        title="Workers by state",
        why="A worker that waits for the lock sleeps (S), and so does the holder of a simulated one; Tengine runs (R).",
        series="worker_threads",
    ),
    TimeSeries(
        key="writing",
        title="Requests in progress in nginx",
        why="Writing in stub_status: requests pile up while workers stand still. In a gap, the polled worker did too.",
        series="nginx_connections",
        lines=("writing",),
    ),
    TimeSeries(
        key="service",
        title="Connections of the service",
        why="The service is idle while nginx's workers wait, so it is not the cause of late responses.",
        series="upstream_connections",
        lines=("service writing", "service waiting"),
    ),
    TimeSeries(
        key="cpu",
        title="CPU by mode",
        why="CPUs that are busy throughout would be another cause of late responses.",
        series="cpu_share",
    ),
)
