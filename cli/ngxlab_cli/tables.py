"""Text for people: columns, numbers, and the verdict of a run."""

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta

from ngxlab_cli.models import (
    Answer,
    ArmAnalysis,
    ArmMetric,
    DefinitionPreview,
    DefinitionProblem,
    FormerJudgement,
    HostSummary,
    MetricInfo,
    RecipeSummary,
    Report,
    RunDetail,
    RunSummary,
    ThresholdResult,
)
from ngxlab_cli.progress import duration

MAX_WIDTH = 110
HEADINGS = {
    "capacity_per_s": "capacity/s",
    "plateau_per_s": "plateau/s",
    "requests_per_s": "requests/s",
    "latency_p50_us": "p50 ms",
    "latency_p99_us": "p99 ms",
    "cpu_s_per_1000_requests": "CPU ms/request",  # seconds per 1000 requests
    "worker_cpu_cv": "worker CPU CV",
}
"""The metrics that become columns where the report has them. ``--json`` has all metrics."""
_STEERED = frozenset({"capacity_per_s", "plateau_per_s"})
_OF_LOAD = frozenset({"requests_per_s", "latency_p50_us", "latency_p99_us"})
"""What a load whose rates the agent sets makes of them is no result."""
_VERDICTS = {"decided": "decided", "undecided": "undecided", "not_valid": "NOT VALID"}
_WORDS = {"pass": "pass", "fail": "FAIL", "undecided": "undecided", "not_valid": "NOT VALID"}
LEGEND = "Against the baseline: the ratio, and its interval in brackets."
LEGEND_OF_CV = "CV is scatter, the standard deviation as a share of the mean: against the baseline, the difference."


def columns(rows: Sequence[Sequence[str]], *, right: bool = False) -> str:
    """Aligned columns, two spaces apart; ``right`` aligns all but the first to the right, for numbers."""
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if right and index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


_wraps = ContextVar("wraps", default=True)


@contextmanager
def whole_lines() -> Iterator[None]:
    """Sentences stay as they are, for readers without a terminal."""
    before = _wraps.set(False)
    try:
        yield
    finally:
        _wraps.reset(before)


def paragraph(text: str, bullet: str = "") -> str:
    """Wrapped to the terminal's width, behind ``bullet``."""
    if not _wraps.get():
        return f"{bullet}{text}"
    width = min(MAX_WIDTH, shutil.get_terminal_size().columns)
    return textwrap.fill(text, width, initial_indent=bullet, subsequent_indent=" " * len(bullet))


def hosts(registered: Sequence[HostSummary]) -> str:
    rows = [["NAME", "STATE", "CPUS", "MEMORY", "NGINX", "WRK", "ID"]]
    for host in registered:
        memory = f"{host.memory_bytes / 2**30:.1f} GiB" if host.memory_bytes is not None else "-"
        cpus = str(host.cpu_logical) if host.cpu_logical is not None else "-"
        nginx, wrk = ", ".join(one.name for one in host.nginx) or "-", host.wrk_version or "-"
        rows.append([host.name, host.state, cpus, memory, nginx, wrk, str(host.id)])
    return columns(rows)


def is_about(recipe: RecipeSummary, words: Sequence[str]) -> bool:
    """Whether each of the words is part of what the recipe says of itself."""
    said = [recipe.key, recipe.title, recipe.question, recipe.expectation, recipe.kind, *recipe.words]
    text = " ".join(said).lower()
    return all(word.lower() in text for word in words)


def recipes(found: Sequence[RecipeSummary]) -> str:
    rows = [["KEY", "QUESTION", "TAKES", "HOSTS"]]
    for one in found:
        fitting = [fit.host for fit in one.hosts if fit.fits]
        lacking = next((need.what for fit in one.hosts for need in fit.lacks if need.must), None)
        where = ", ".join(fitting) or (f"none: needs {lacking}" if lacking else "none")
        rows.append([one.key, one.question, duration(timedelta(seconds=one.duration_s)), where])
    return columns(rows)


def runs(latest: Sequence[RunSummary]) -> str:
    rows = [["CREATED", "EXPERIMENT", "RUN", "STATE", "VERDICT", "THRESHOLDS", "HOSTS", "TAGS", "ID"]]
    for run in latest:
        created = run.created_at.astimezone().strftime("%Y-%m-%d %H:%M")
        name = textwrap.shorten(run.experiment_name, 40, placeholder="…")
        host_names = ", ".join(dict.fromkeys(run.hosts))
        verdict_, thresholds_ = _VERDICTS.get(run.verdict or "", "-"), _WORDS.get(run.outcome or "", "-")
        tags = ", ".join(run.tags) or "-"
        rows.append([created, name, f"#{run.number}", run.state, verdict_, thresholds_, host_names, tags, str(run.id)])
    return columns(rows)


def problems(entries: Sequence[DefinitionProblem]) -> str:
    """One line for each problem: where, and what. A line number counts within the field."""
    lines = []
    for problem in entries:
        line = f" line {problem.line}" if problem.line is not None else ""
        place = f"{problem.field}{line}: " if problem.field or line else ""
        arms = f" (arms: {', '.join(problem.arms)})" if problem.arms else ""
        lines.append(f"  {place.lstrip()}{problem.message}{arms}")
    return "\n".join(lines)


def valid(name: str, preview: DefinitionPreview) -> str:
    """Of an experiment without problems: its arms, its plan, and its warnings."""
    slots = ", ".join(slot.slot for slot in preview.slots)
    words = f"{name} is valid: {len(preview.arms)} arms, slots: {slots}"
    if plan := preview.plan:
        words += f"\n{plan.trials} trials in about {duration(timedelta(seconds=plan.total_s))}"
    if preview.warnings:
        words += f"\nIt can be run, but may not be what you mean:\n{problems(preview.warnings)}"
    return words


def verdict(run: RunDetail, report: Report) -> str:
    """What run it is, and all that :func:`said` says of it."""
    reason = f": {run.state_reason}" if run.state_reason and run.state != "completed" else ""
    return "\n\n".join([f"{run.experiment_name}, run {run.number}, {run.state}{reason}", *said(report)])


def said(report: Report) -> list[str]:
    """The answers, the headline sentence by sentence, the conclusion, the table by arm, the thresholds."""
    return [*claims(report), arms(report), *limits(report)]


def claims(report: Report) -> list[str]:
    """What is claimed, in sentences."""
    sections, analysis = [], report.analysis
    if analysis.answers:
        sections.append(answers(analysis.answers))
    sentences = [
        analysis.not_valid,
        *(statement.text for statement in analysis.statements),
        *(analysis.more_or_longer or ()),
        analysis.qualification,
        analysis.margin_note,
    ]
    sections.append("\n".join(paragraph(text) for text in sentences if text))
    if report.why:
        sections.append(why(report))
    if report.judged_before:
        sections.append("\n".join(paragraph(_judged_before(former)) for former in report.judged_before))
    if report.findings and report.findings.conclusion:
        sections.append("\n".join(paragraph(text, "- ") for text in report.findings.conclusion))
    return sections


def limits(report: Report) -> list[str]:
    """What limited the arms, and what became of thresholds."""
    found = [bottlenecks(report.analysis.arms), thresholds(report.thresholds) if report.thresholds else ""]
    return [section for section in found if section]


def of_stream(stream: str | None) -> str:
    return f" ({stream})" if stream else ""


def why(report: Report) -> str:
    """Why arms differ, as far as it is known."""
    titles = {metric.key: metric.title for metric in report.analysis.metrics}
    lines = [
        paragraph(f"{', '.join(titles.get(key, key) for key in one.metrics)}{of_stream(one.stream)}. {one.text}", "  ")
        for one in report.why or ()
    ]
    if any(one.found == "not_profiled" for one in report.why or ()):
        lines.append(
            "  What causes it was not looked for: that takes two profiles of each arm (ngxlab profile RUN --wait)"
        )
    return "\n".join(["why", *lines])


def _judged_before(former: FormerJudgement) -> str:
    by, on = (
        f"method {former.method}" if former.method else "a method from before versions were counted",
        former.judged_at,
    )
    when = f"on {on:%Y-%m-%d}" if on is not None else f"until {former.until:%Y-%m-%d}"
    return f"Judged differently before: {when} by {by} it said: {former.headline}"


def answers(given: Sequence[Answer]) -> str:
    rows = [[one.question, f"{one.word}: {one.text}".removesuffix(": ").replace("`", "")] for one in given]
    return columns(rows)


def arms(report: Report) -> str:
    """A row of means for each arm, and below it the comparison with the baseline and its interval."""
    known = {metric.key for metric in report.analysis.metrics} & HEADINGS.keys()
    shown = known - _OF_LOAD if known & _STEERED else known
    metrics = [metric for metric in report.analysis.metrics if metric.key in shown]
    rows = [["arm", *(HEADINGS[metric.key] for metric in metrics)]]
    for arm in report.analysis.arms:
        rows.append([arm.label, *(_mean(metric, _of(arm, metric)) for metric in metrics)])
        if not arm.is_baseline:
            rows.append(["  against baseline", *(_comparison(_of(arm, metric)) for metric in metrics)])
    compared = any(metric.comparison for arm in report.analysis.arms for metric in arm.metrics)
    legend = [LEGEND] * compared + [LEGEND_OF_CV] * any(metric.unit == "CV" for metric in metrics)
    return "\n".join([columns(rows, right=True), *legend])


def bottlenecks(measured: Sequence[ArmAnalysis]) -> str:
    """What limited each arm, with the evidence; empty where it is not known."""
    lines = [
        paragraph(f"{arm.label}: {arm.bottleneck.resource or 'none found'} ({arm.bottleneck.evidence})", "  ")
        for arm in measured
        if arm.bottleneck is not None
    ]
    return "\n".join(["limited by", *lines]) if lines else ""


def thresholds(results: Sequence[ThresholdResult]) -> str:
    rows = [[_WORDS[item.outcome], item.text, item.arm, item.message] for item in results]
    return "thresholds\n" + textwrap.indent(columns(rows), "  ")


def _of(arm: ArmAnalysis, metric: MetricInfo) -> ArmMetric | None:
    return next((entry for entry in arm.metrics if entry.metric == metric.key), None)


def _mean(metric: MetricInfo, measured: ArmMetric | None) -> str:
    if measured is None or measured.mean is None:
        return "-"
    return number(measured.mean / 1000 if metric.unit == "us" else measured.mean)


def _comparison(measured: ArmMetric | None) -> str:
    comparison = measured.comparison if measured else None
    if comparison is None:
        return "-"
    if not comparison.ci_text:
        return comparison.text
    return f"{comparison.text} ({f'{comparison.interval} {comparison.ci_text}'.strip()})"
