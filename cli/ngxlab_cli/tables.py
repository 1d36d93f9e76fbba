"""Text for people: columns, numbers, and the verdict of a run."""

import shutil
import textwrap
from collections.abc import Sequence

from ngxlab_cli.models import (
    ArmMetric,
    ArmResult,
    FieldProblem,
    Host,
    Metric,
    Report,
    RunSummary,
    Threshold,
)

WIDEST = 110
SHOWN_METRICS = {
    "requests_per_s": "requests/s",
    "latency_p50_us": "p50 ms",
    "latency_p99_us": "p99 ms",
    "cpu_s_per_1000_requests": "CPU ms/request",
    "worker_cpu_cv": "worker CPU CV",
}
"""The columns, of those metrics that the report has. JSON has them all."""


def columns(rows: Sequence[Sequence[str]], *, right: bool = False) -> str:
    """Aligned, two spaces apart; ``right``: all but the first column are numbers."""
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if right and index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def paragraph(text: str) -> str:
    return textwrap.fill(text, min(WIDEST, shutil.get_terminal_size().columns))


def hosts(found: Sequence[Host]) -> str:
    rows = [["NAME", "STATE", "CPUS", "MEMORY", "NGINX", "WRK", "ID"]]
    for host in found:
        memory = f"{host.memory_bytes / 2**30:.1f} GiB"
        nginx, wrk = ", ".join(host.nginx_versions) or "-", host.wrk_version or "-"
        rows.append([host.name, host.state, str(host.cpu_logical), memory, nginx, wrk, str(host.id)])
    return columns(rows)


def runs(found: Sequence[RunSummary]) -> str:
    rows = [["CREATED", "EXPERIMENT", "RUN", "STATE", "THRESHOLDS", "HOSTS", "ID"]]
    for run in found:
        created = run.created_at.astimezone().strftime("%Y-%m-%d %H:%M")
        name = textwrap.shorten(run.experiment_name, 40, placeholder="…")
        hosts_ = ", ".join(dict.fromkeys(run.hosts))
        rows.append([created, name, f"#{run.number}", run.state, _word(run.passed, "-"), hosts_, str(run.id)])
    return columns(rows)


def problems(found: Sequence[FieldProblem], file: str | None = None) -> str:
    """A line each: where, and what. ``line`` counts within the field, so it stands with it."""
    lines = []
    for problem in found:
        place = problem.field or file or ""
        place += f" line {problem.line}" if problem.line is not None else ""
        arms = f" (arms: {', '.join(problem.arms)})" if problem.arms else ""
        lines.append(f"  {place}: {problem.message}{arms}" if place else f"  {problem.message}{arms}")
    return "\n".join(lines)


def verdict(run: RunSummary, report: Report) -> str:
    """The headline, the table by arm and the thresholds."""
    reason = f": {run.state_reason}" if run.state_reason and run.state != "completed" else ""
    parts = [f"{run.experiment_name}, run {run.number}, {run.state}{reason}"]
    if report.analysis.headline:
        parts.append(paragraph(report.analysis.headline))
    parts.append(arms(report))
    if report.thresholds:
        parts.append(thresholds(report.thresholds))
    return "\n\n".join(parts)


def arms(report: Report) -> str:
    """A row of means for each arm, and its ratio to the baseline with the 95 % confidence interval below."""
    metrics = [metric for metric in report.analysis.metrics if metric.key in SHOWN_METRICS]
    rows = [["arm", *(SHOWN_METRICS[metric.key] for metric in metrics)]]
    for arm in report.analysis.arms:
        rows.append([arm.label, *(_mean(metric, _of(arm, metric)) for metric in metrics)])
        if not arm.is_baseline:
            rows.append(["  against baseline", *(_comparison(_of(arm, metric)) for metric in metrics)])
    return columns(rows, right=True)


def thresholds(found: Sequence[Threshold]) -> str:
    rows = [[_word(item.passed, "UNKNOWN"), item.text, item.arm, item.message] for item in found]
    return "thresholds\n" + textwrap.indent(columns(rows), "  ")


def _word(passed: bool | None, unknown: str) -> str:  # noqa: FBT001 (it is what is spelt out)
    return unknown if passed is None else "pass" if passed else "FAIL"


def _of(arm: ArmResult, metric: Metric) -> ArmMetric | None:
    return next((entry for entry in arm.metrics if entry.metric == metric.key), None)


def _mean(metric: Metric, found: ArmMetric | None) -> str:
    if found is None or found.mean is None:
        return "-"
    if metric.unit == "us":
        return f"{found.mean / 1000:.3g}"
    if metric.key == "cpu_s_per_1000_requests":
        return f"{found.mean:.3g}"  # seconds per 1000 are milliseconds per one
    return f"{found.mean:,.0f}" if found.mean >= 100 else f"{found.mean:.3g}"


def _comparison(found: ArmMetric | None) -> str:
    comparison = found.comparison if found else None
    if comparison is None:
        return "-"
    return f"{comparison.text} ({comparison.ci_text})" if comparison.ci_text else comparison.text
