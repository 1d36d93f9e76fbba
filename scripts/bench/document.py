"""The benchmarks' report: as JSON, as a table for a terminal, as docs/benchmarks.md."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from scripts.bench.results import Measurement, Report
from scripts.paths import ROOT

DOCUMENT = ROOT / "docs" / "benchmarks.md"
INTRODUCTION = (
    "Budgets of the product, measured by `make bench ARGS=--write` on a private stack. Ratios are taken within one run "
    "and so depend less on the machine than absolute numbers. A value in brackets is a 95 % interval; bare/bare "
    "compares the bare tools with themselves in the same run; *unresolved* means that the interval contains the "
    "budget, so that more cycles or a quieter machine are needed."
)
HEADINGS = ("what", "budget", "measured", "met")


def as_json(report: Report) -> str:
    """A JSON document, with ``met`` and ``resolved`` for each value."""
    content = asdict(report)
    for measure, entry in zip(report.measures, content["measures"], strict=True):
        entry |= {"met": measure.met, "resolved": measure.resolved}
    return json.dumps(content, indent=2)


def as_table(report: Report) -> str:
    """A table for a terminal, followed by the benchmarks without a value."""
    rows = [HEADINGS, *(_row(measure) for measure in report.measures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines += [f"not measured: {skipped.name}: {skipped.reason}" for skipped in report.not_measured]
    return "\n".join(lines)


def as_markdown(report: Report) -> str:
    """The text of docs/benchmarks.md."""
    kind = " (a quick run: small sizes, wide intervals)" if report.quick else ""
    machine = [f"| {name.replace('_', ' ')} | {value} |" for name, value in report.machine.items()]
    table = [_markdown_row(_row(measure)) for measure in report.measures]
    skipped = [f"- Not measured: {skipped.name}: {skipped.reason}" for skipped in report.not_measured]
    definitions: dict[str, list[str]] = {}
    for measure in report.measures:
        definitions.setdefault(measure.definition, []).append(measure.what)
    how = [f"- **{'; '.join(names)}.** {text}" for text, names in definitions.items()]
    lines = [
        "# Benchmarks", "", INTRODUCTION, "", f"Measured {report.date}, commit {report.commit}{kind}.", "",
        _markdown_row(HEADINGS), "|---|---|---|---|", *table, "", *skipped, *([""] if skipped else []),
        "## Machine", "", "| | |", "|---|---|", *machine, "",
        "## How it is measured", "", *how, "",
    ]  # fmt: skip
    return "\n".join(lines)


def write(report: Report) -> None:
    """Replace docs/benchmarks.md."""
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_text(as_markdown(report))


def _row(measure: Measurement) -> tuple[str, str, str, str]:
    budget = f"{measure.budget.sense} {_number(measure.budget.limit)} {measure.unit}"
    met = "yes" if measure.met else "NO"
    return measure.what, budget, _measured(measure), met if measure.resolved else f"{met}, unresolved"


def _measured(measure: Measurement) -> str:
    """The value, its interval, and the machine's own noise where it was measured too."""
    evidence = []
    if measure.interval_95 is not None:
        evidence.append(_range(measure.interval_95))
    noise = measure.detail.get("bare_against_bare", {}).get("interval_95")
    if noise is not None:
        evidence.append(f"bare/bare {_range(noise)}")
    brackets = f" ({'; '.join(evidence)})" if evidence else ""
    return f"{_number(measure.value)} {measure.unit}{brackets}"


def _range(ends: tuple[float, float]) -> str:
    return f"{ends[0]:.3f} to {ends[1]:.3f}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
