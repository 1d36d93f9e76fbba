"""What benchmarks have measured, against budgets: as JSON, as a table for a terminal, and in docs/benchmarks.md."""

import json
import math
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from ngxlab.analysis.statistics.paired import t_quantile
from pydantic import TypeAdapter

from scripts.paths import ROOT


class Ratio(NamedTuple):
    """The geometric mean of the pairs' ratios."""

    ratio: float
    interval_95: tuple[float, float]
    pairs: int


def mean_interval(values: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """The mean and its interval; of two values at least."""
    mean = float(np.mean(values))
    half = t_quantile(len(values) - 1) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return mean, (mean - half, mean + half)


def paired(pairs: Sequence[tuple[float, float]]) -> Ratio:
    """First / second. Raises ValueError of values that are not positive."""
    if any(value <= 0 for pair in pairs for value in pair):
        raise ValueError("a ratio needs positive values on both sides")
    mean, (low, high) = mean_interval([math.log(first / second) for first, second in pairs])
    return Ratio(math.exp(mean), (math.exp(low), math.exp(high)), len(pairs))


def no_more_than_noise(result: Ratio, noise: Ratio) -> bool:
    return abs(math.log(result.ratio)) <= max(abs(math.log(end)) for end in noise.interval_95)


def percentile(values: Sequence[float], percent: float) -> float:
    return float(np.percentile(values, percent)) if len(values) else float("nan")


BUSY_LIMIT = 0.05
"""The share of all CPUs' time that may be used while the private stack rests (it takes a tenth of that)."""


class NotMeasuredError(Exception):
    """A benchmark gave no value; the message says why."""


@dataclass(frozen=True)
class Found:
    """A measured value. ``detail``: evidence as JSON values, and words for the figure's texts."""

    value: float
    detail: dict[str, Any] = field(default_factory=dict)
    interval_95: tuple[float, float] | None = None


@dataclass(frozen=True)
class Budget:
    sense: Literal["at least", "at most"]
    limit: float

    def met_by(self, value: float) -> bool:
        return value >= self.limit if self.sense == "at least" else value <= self.limit


@dataclass(frozen=True)
class Measurement:
    """One figure. ``what``: in one line what is measured; ``definition``: how."""

    name: str
    what: str
    value: float
    unit: str
    budget: Budget
    definition: str
    detail: dict[str, Any] = field(default_factory=dict)
    interval_95: tuple[float, float] | None = None

    @property
    def met(self) -> bool:
        return self.budget.met_by(self.value)


@dataclass(frozen=True)
class Occasion:
    """When a benchmark was run, and on what. ``busy``: the share of the CPUs' time used by others just before it."""

    benchmark: str
    date: str
    commit: str
    busy: float
    quick: bool


@dataclass(frozen=True)
class Taken:
    measure: Measurement
    occasion: Occasion

    @property
    def resolved(self) -> bool:
        """Whether it can be told from the noise: its whole interval on one side of the budget, the machine quiet."""
        ends = self.measure.interval_95 or ()
        sides = {self.measure.budget.met_by(end) for end in ends}
        return len(sides) < 2 and self.occasion.busy <= BUSY_LIMIT


@dataclass(frozen=True)
class Skipped:
    name: str
    reason: str


@dataclass(frozen=True)
class Report:
    """A run of the benchmarks. ``machine``: facts about this machine from the agent's inventory."""

    machine: dict[str, Any]
    taken: list[Taken]
    not_measured: list[Skipped]

    def renewed_by(self, other: "Report", order: Sequence[str]) -> "Report":
        """With the other's values in place of this one's for each benchmark that the other has run. ``order``: the
        names of all benchmarks."""
        run = {one.occasion.benchmark for one in other.taken} | {skipped.name for skipped in other.not_measured}
        kept = [one for one in self.taken if one.occasion.benchmark not in run]
        silent = [skipped for skipped in self.not_measured if skipped.name not in run]
        taken = sorted([*kept, *other.taken], key=lambda one: order.index(one.occasion.benchmark))
        skipped = sorted([*silent, *other.not_measured], key=lambda one: order.index(one.name))
        return Report(other.machine, taken, skipped)


class Published(NamedTuple):
    """What another tool says of itself. ``ours``: the names of the measures that come nearest."""

    tool: str
    says: str
    source: str
    ours: tuple[str, ...]


PEERS = TypeAdapter(list[Published]).validate_python(
    tomllib.loads(Path(__file__).with_name("published.toml").read_text())["tools"]
)
DOCUMENT = ROOT / "docs" / "benchmarks.md"
RECORD = DOCUMENT.with_suffix(".json")
INTRODUCTION = (
    "Budgets of the product, measured by `make bench ARGS=--write` on a private stack; with `--only NAME`, the figures "
    "of that benchmark alone are renewed. A benchmark waits until others use less than "
    f"{BUSY_LIMIT:.0%} of the CPUs, and says so. Ratios are taken within one run and so depend less on the machine "
    "than absolute numbers. A value in brackets is a 95 % interval; bare/bare compares the bare tools with themselves "
    "in the same run; *unresolved* means that the interval contains the budget, or that the machine was not quiet."
)
HEADINGS = ("what", "budget", "measured", "met", "when")
_REPORT = TypeAdapter(Report)


def as_json(report: Report) -> str:
    """A JSON document, with ``met`` and ``resolved`` for each value."""
    content = asdict(report)
    for one, entry in zip(report.taken, content["taken"], strict=True):
        entry["measure"] |= {"met": one.measure.met, "resolved": one.resolved}
    return json.dumps(content, indent=2)


def as_table(report: Report) -> str:
    """A table for a terminal, followed by the benchmarks without a value."""
    rows = [HEADINGS[:-1], *(_row(one) for one in report.taken)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines += [f"not measured: {skipped.name}: {skipped.reason}" for skipped in report.not_measured]
    return "\n".join(lines)


def as_markdown(report: Report) -> str:
    machine = [f"| {name.replace('_', ' ')} | {value} |" for name, value in report.machine.items()]
    table = [_markdown_row((*_row(one), _when(one))) for one in report.taken]
    skipped = [f"- Not measured: {skipped.name}: {skipped.reason}" for skipped in report.not_measured]
    definitions: dict[str, list[str]] = {}
    for one in report.taken:
        definitions.setdefault(one.measure.definition, []).append(one.measure.what)
    how = [f"- **{'; '.join(names)}.** {text}" for text, names in definitions.items()]
    lines = [
        "# Benchmarks", "", INTRODUCTION, "",
        _markdown_row(HEADINGS), "|---|---|---|---|---|", *table, "", *skipped, *([""] if skipped else []),
        "## What others publish", "", *_beside(report), "",
        "## Machine", "", "| | |", "|---|---|", *machine, "",
        "## How it is measured", "", *how, "",
    ]  # fmt: skip
    return "\n".join(lines)


def write(report: Report, order: Sequence[str]) -> None:
    """Renew docs/benchmarks.md and its record by the values of ``report``; values of other benchmarks stay.

    ``order``: the names of all benchmarks."""
    known = _REPORT.validate_json(RECORD.read_text()).renewed_by(report, order) if RECORD.exists() else report
    RECORD.write_text(json.dumps(asdict(known), indent=1) + "\n")
    DOCUMENT.write_text(as_markdown(known))


def _beside(report: Report) -> Iterator[str]:
    """Figures of other tools with ours beside."""
    ours = {one.measure.name: one.measure for one in report.taken}
    yield "| tool | it says | here | source |"
    yield "|---|---|---|---|"
    for peer in PEERS:
        near = [f"{ours[name].what}: {_measured(ours[name])}" for name in peer.ours if name in ours]
        yield _markdown_row((peer.tool, peer.says, "; ".join(near) or "not measured", f"<{peer.source}>"))


def _when(one: Taken) -> str:
    quick = ", quick" if one.occasion.quick else ""
    return f"{one.occasion.date}, {one.occasion.commit}{quick}"


def _row(one: Taken) -> tuple[str, str, str, str]:
    measure = one.measure
    budget = f"{measure.budget.sense} {_number(measure.budget.limit)} {measure.unit}"
    met = "yes" if measure.met else "NO"
    return measure.what, budget, _measured(measure), met if one.resolved else f"{met}, unresolved"


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
