"""A report in the OpenMetrics text format (https://prometheus.io/docs/specs/om/open_metrics_spec/)."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.registry import Collector

from ngxlab.exports.rows import Row, report_rows
from ngxlab.reports.schemas import Report

_PLACE = ("arm", "stream", "metric", "unit")
_SEVERITIES = ("pass", "info", "warning", "error", "unavailable")


class _OfReport(Collector):
    def __init__(self, report: Report) -> None:
        self._report = report

    def collect(self) -> Iterator[Metric]:
        run, rows = self._report.run, list(report_rows(self._report))
        info = {
            "run": str(run.id), "experiment": run.experiment_name, "number": str(run.number),
            "version": str(run.version), "state": str(run.state), "verdict": self._report.analysis.verdict,
        }  # fmt: skip
        if run.revision is not None:
            info |= {name: str(value) for name, value in run.revision.model_dump(exclude_none=True).items()}
        yield InfoMetricFamily("ngxlab_run", "The run that all these values are of", value=info)
        means = [row for row in rows if row.table == "arms"]
        yield _gauge("ngxlab_arm_mean", "Mean of an arm's usable trials", means, "value")
        compared = [row for row in rows if row.table == "comparisons"]
        about = "of an arm against the baseline: a ratio or a difference, as the unit says"
        yield _gauge("ngxlab_comparison_estimate", f"Estimate {about}", compared, "value")
        yield _gauge("ngxlab_comparison_low", f"Lower end of the interval {about}", compared, "low")
        yield _gauge("ngxlab_comparison_high", f"Upper end of the interval {about}", compared, "high")
        yield self._checks()

    def _checks(self) -> Metric:
        text = "Results of validity checks, 1 at the severity that each came to"
        family = GaugeMetricFamily("ngxlab_check", text, labels=["check", "severity"])
        for check in self._report.analysis.checks.results:
            for severity in _SEVERITIES:
                family.add_metric([check.key, severity], float(check.severity == severity))
        return family


def _gauge(name: str, text: str, rows: list[Row], column: str) -> Metric:
    family = GaugeMetricFamily(name, text, labels=list(_PLACE))
    for row in rows:
        value = getattr(row, column)
        if value is not None:
            family.add_metric([row.arm or "", row.stream or "", row.key or "", row.unit or ""], value)
    return family


def open_metrics(report: Report) -> str:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_OfReport(report))
    text: bytes = generate_latest(registry)  # type: ignore[no-untyped-call]
    return text.decode()
