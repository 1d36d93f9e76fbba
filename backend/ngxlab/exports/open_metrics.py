"""A run in the OpenMetrics text format (https://prometheus.io/docs/specs/om/open_metrics_spec/).

It is what the report says, and with timestamps also the series of the trials, which Prometheus takes in afterwards.

Labels are bounded: what they have is of the run (its arms, blocks, streams, hosts and lines of charts).
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from tempfile import SpooledTemporaryFile
from typing import NamedTuple

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.registry import Collector

from ngxlab.analysis.series.catalogue import CATALOGUE
from ngxlab.exports.rows import Row, report_rows
from ngxlab.metrics.schemas import TrialSeries
from ngxlab.reports.schemas import Report

_PLACE = ("arm", "stream", "metric", "unit")
_SEVERITIES = ("pass", "info", "warning", "error", "unavailable")
_END = "# EOF\n"
_IN_MEMORY = 1 << 20
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class _OfReport(Collector):
    """``at_s``: seconds since the epoch that all values have; then each also says of which run it is."""

    def __init__(self, report: Report, at_s: float | None = None) -> None:
        self._report, self._at_s = report, at_s
        self._run = _run_labels(report) if at_s is not None else {}

    def collect(self) -> Iterator[Metric]:
        run, rows = self._report.run, list(report_rows(self._report))
        info = {
            "run": str(run.id), "experiment": run.experiment_name, "number": str(run.number),
            "version": str(run.version), "state": str(run.state), "verdict": self._report.analysis.verdict,
        }  # fmt: skip
        if run.revision is not None:
            info |= {name: str(value) for name, value in run.revision.model_dump(exclude_none=True).items()}
        named = InfoMetricFamily("ngxlab_run", "The run that all these values are of", labels=[])
        named.add_metric([], info, timestamp=self._at_s)
        yield named
        means = [row for row in rows if row.table == "arms"]
        yield self._gauge("ngxlab_arm_mean", "Mean of an arm's usable trials", means, "value")
        compared = [row for row in rows if row.table == "comparisons"]
        about = "of an arm against the baseline: a ratio or a difference, as the unit says"
        yield self._gauge("ngxlab_comparison_estimate", f"Estimate {about}", compared, "value")
        yield self._gauge("ngxlab_comparison_low", f"Lower end of the interval {about}", compared, "low")
        yield self._gauge("ngxlab_comparison_high", f"Upper end of the interval {about}", compared, "high")
        yield self._checks()

    def _checks(self) -> Metric:
        text = "Results of validity checks, 1 at the severity that each came to"
        family = GaugeMetricFamily("ngxlab_check", text, labels=[*self._run, "check", "severity"])
        for check in self._report.analysis.checks.results:
            for severity in _SEVERITIES:
                labels = [*self._run.values(), check.key, severity]
                family.add_metric(labels, float(check.severity == severity), timestamp=self._at_s)
        return family

    def _gauge(self, name: str, text: str, rows: list[Row], column: str) -> Metric:
        family = GaugeMetricFamily(name, text, labels=[*self._run, *_PLACE])
        for row in rows:
            value = getattr(row, column)
            if value is not None:
                labels = [*self._run.values(), row.arm or "", row.stream or "", row.key or "", row.unit or ""]
                family.add_metric(labels, value, timestamp=self._at_s)
        return family


def _run_labels(report: Report) -> dict[str, str]:
    return {"experiment": report.run.experiment_name, "run": str(report.run.id)}


def open_metrics(report: Report, at_s: float | None = None) -> str:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_OfReport(report, at_s))
    text: bytes = generate_latest(registry)  # type: ignore[no-untyped-call]
    return text.decode()


class TimedSeries(NamedTuple):
    """The series of a trial, and when its measured window was to begin: seconds since the epoch."""

    start_s: float
    series: TrialSeries


async def timed_metrics(report: Report, trials: AsyncIterator[TimedSeries]) -> AsyncGenerator[bytes]:
    """All with timestamps; what the report says has that of the run's end.

    A family stands in one piece, and trials are read one by one: what they say waits on the disk.
    """
    ended = report.run.finished_at or report.run.created_at
    yield open_metrics(report, ended.timestamp()).removesuffix(_END).encode()
    run = _run_labels(report)
    places: dict[str, list[tuple[int, int]]] = {}
    with SpooledTemporaryFile(_IN_MEMORY, prefix="ngxlab-metrics-") as kept:
        async for trial in trials:
            for key, text in await asyncio.to_thread(lambda one: list(_samples(run, one)), trial):
                places.setdefault(key, []).append((kept.tell(), kept.write(text.encode())))
        for info in CATALOGUE:
            if info.key in places:
                name = f"ngxlab_trial_{info.key}"
                yield f"# HELP {name} {info.title} ({info.unit})\n# TYPE {name} gauge\n".encode()
            for place, size in places.get(info.key, ()):
                kept.seek(place)
                yield kept.read(size)
    yield _END.encode()


def _samples(run: Mapping[str, str], trial: TimedSeries) -> Iterator[tuple[str, str]]:
    """The lines of each series, by its key."""
    for line in trial.series.series:
        of = {**run, "arm": trial.series.arm, "block": str(trial.series.block), "line": line.label}
        labels = ",".join(f'{name}="{value.translate(_ESCAPED)}"' for name, value in of.items())
        name = f"ngxlab_trial_{line.key}{{{labels}}}"
        said = [f"{name} {value!r} {trial.start_s + t_s:.3f}\n" for t_s, value in line.points if value is not None]
        yield line.key, "".join(said)
