"""Charts: what requests feel over whatever is swept, then second by second, then why."""

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
    """Where the article's rule puts the threshold, for each number of workers and of nodes in all that was run."""
    if evidence.parameters.get("through") != "lua":
        return []
    models = [LockModel.of(evidence.parameters, evidence.variables(arm)) for arm in evidence.arms]
    found = {round(model.threshold_nodes): model for model in models if model.threshold_nodes is not None}
    return [
        Mark(
            axis="x",
            at=nodes,
            label=f"predicted threshold with {model.workers:g} workers",
            help=f"An update of {nodes} nodes holds the simulated lock for {model.threshold_ms:g} ms: the read "
            "interval divided by the workers.",
            simulated=True,
        )
        for nodes, model in found.items()
    ]


def _none(_: Evidence) -> list[Mark]:
    return []


def _charts(key: str, title: str, why: str, quantity: Metric) -> Iterator[ChartSpec]:
    """A line over the changed nodes where they are swept, else a bar for each arm."""
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
        "p99 during the churn",
        "The article's first result: from some number of changed nodes on, latency goes up steeply.",
        P99_DURING,
    ),
    *_charts(
        "p50-during",
        "Median during the churn",
        "As long as workers wait now and then, the median does not feel it; once most of them stand still, it must.",
        P50_DURING,
    ),
    *_charts("p99-after", "p99 after the churn", "What is left of it once nothing changes any more.", P99_AFTER),
    *_charts(
        "excess",
        "Excess latency",
        "Area between p99 and what it was before, over the churn and what follows: how much and how long in one.",
        EXCESS,
    ),
    *_charts(
        "recovery",
        "Recovery",
        "From the end of the last change to the last second in which p99 was out of the ordinary.",
        RECOVERY,
    ),
    *_charts(
        "call",
        "Time of a churn call",
        "Whoever changes upstreams waits for the lock as well, then for the update in the worker that took the call.",
        CALL,
    ),
    *_charts(
        "lost", "Requests that failed", "Waiting makes requests late; a reload closes connections under them.", ERRORS
    ),
    *_charts("failed", "Failed churn calls", "Refused with 409 by trylock, or not answered in time.", FAILED),
    TimeSeries(
        key="latency",
        title="Latency over a trial",
        why="Percentiles of each second; the marks are changes. Above p50, it is the requests of workers that wait.",
        series="latency_ms",
        lines=("p50", "p95", "p99"),
    ),
    TimeSeries(
        key="errors",
        title="Errors over a trial",
        why="Waiting should make requests late, not lost.",
        series="stream_errors_per_s",
    ),
    TimeSeries(
        key="backlog",
        title="Requests without a connection",
        why="With enough connections nobody waits at the generator; if somebody does, latency holds that too.",
        series="stream_backlog",
    ),
    TimeSeries(
        key="threads",
        title="Workers by state",
        why="Who waits for the lock sleeps (S), and so does who holds the simulated one; a Tengine computes (R).",
        series="worker_threads",
    ),
    TimeSeries(
        key="writing",
        title="Requests under way in nginx",
        why="stub_status' Writing: requests pile up while workers stand still. A gap: so did the worker asked.",
        series="nginx_connections",
        lines=("writing",),
    ),
    TimeSeries(
        key="service",
        title="Connections of the service",
        why="The service itself is idle when nginx's workers wait: it is not what makes requests late.",
        series="upstream_connections",
        lines=("service writing", "service waiting"),
    ),
    TimeSeries(
        key="cpu",
        title="CPU by mode",
        why="CPUs that are busy throughout would be another reason for late answers.",
        series="cpu_share",
    ),
)
