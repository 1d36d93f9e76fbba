"""The benchmarks' report: as JSON, as a table for a terminal, as docs/benchmarks.md."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from scripts.bench.results import Measure, Report
from scripts.paths import ROOT

DOCUMENT = ROOT / "docs" / "benchmarks.md"
INTRODUCTION = (
    "Budgets of the product, measured by `make bench ARGS=--write` on a private stack. Ratios are taken within one run "
    "and so travel better between machines than absolute numbers. A value in brackets is a 95 % interval; bare/bare "
    "is what comparing the bare tools with themselves gave in the same run."
)
HEADINGS = ("what", "budget", "measured", "met")


def as_json(report: Report) -> str:
    """One document; ``met`` beside each value."""
    content = asdict(report)
    for measure, entry in zip(report.measures, content["measures"], strict=True):
        entry["met"] = measure.met
    return json.dumps(content, indent=2)


def as_table(report: Report) -> str:
    """For a terminal, with what could not be measured below."""
    rows = [HEADINGS, *(_row(measure) for measure in report.measures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines += [f"not measured: {skipped.name}: {skipped.reason}" for skipped in report.not_measured]
    return "\n".join(lines)


def as_markdown(report: Report) -> str:
    """The page docs/benchmarks.md."""
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


def _row(measure: Measure) -> tuple[str, str, str, str]:
    budget = f"{measure.budget.sense} {_number(measure.budget.limit)} {measure.unit}"
    measured = f"{_number(measure.value)} {measure.unit}{_interval(measure)}"
    return measure.what, budget, measured, "yes" if measure.met else "NO"


def _interval(measure: Measure) -> str:
    """The evidence beside a ratio: its own interval, and the noise's where there is one."""
    said = []
    for key, words in (("product_against_bare", ""), ("ingest_against_copy", ""), ("bare_against_bare", "bare/bare ")):
        interval = measure.detail.get(key, {}).get("interval_95")
        if interval is not None:
            said.append(f"{words}{interval[0]:.3f} to {interval[1]:.3f}")
    return f" ({'; '.join(said)})" if said else ""


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
