"""The files that a run can be taken away as."""

import re
from enum import StrEnum
from typing import NamedTuple

from ngxlab.reports.schemas import ReportRun


class ExportName(StrEnum):
    report_md = "report.md"
    report_html = "report.html"
    report_pdf = "report.pdf"
    data_json = "data.json"
    data_csv = "data.csv"
    data_parquet = "data.parquet"
    histograms_hlog = "histograms.hlog"
    metrics_txt = "metrics.txt"
    metrics_om = "metrics.om"
    run_zip = "run.zip"


MEDIA_TYPES = {
    ExportName.report_md: "text/markdown; charset=utf-8",
    ExportName.report_html: "text/html; charset=utf-8",
    ExportName.report_pdf: "application/pdf",
    ExportName.data_json: "application/json",
    ExportName.data_csv: "text/csv; charset=utf-8",
    ExportName.data_parquet: "application/vnd.apache.parquet",
    ExportName.histograms_hlog: "text/plain; charset=utf-8",
    ExportName.metrics_txt: "application/openmetrics-text; version=1.0.0; charset=utf-8",
    ExportName.metrics_om: "application/openmetrics-text; version=1.0.0; charset=utf-8",
    ExportName.run_zip: "application/zip",
}


class RunName(NamedTuple):
    experiment: str
    number: int

    def file(self, name: ExportName) -> str:
        """E.g. ``socket-sharding-run-3-data.csv``; the archive is ``socket-sharding-run-3.zip``."""
        slug = re.sub(r"[^a-z0-9]+", "-", self.experiment.lower()).strip("-")[:80] or "experiment"
        rest = ".zip" if name is ExportName.run_zip else f"-{name}"
        return f"{slug}-run-{self.number}{rest}"


def run_name(run: ReportRun) -> RunName:
    return RunName(run.experiment_name, run.number)
