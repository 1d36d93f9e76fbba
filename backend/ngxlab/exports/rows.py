"""Every table and series of a report as rows of one long table, which CSV and Parquet share."""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ngxlab.analysis.metrics import CAPACITY, METRICS, PLATEAU
from ngxlab.analysis.schemas import ArmMetric, TrialSummary
from ngxlab.metrics.schemas import TrialSeries
from ngxlab.reports.schemas import Report


class Row(NamedTuple):
    """One value. ``table``: answers, judged_before, arms, comparisons, shift, trials, searches, steps, curves, rates,
    sizing, heats, thresholds, checks, notes or series; the columns that a table does not have are empty. ``t_s``:
    seconds since the start of the measured window. ``low``, ``high``: the interval.
    """

    table: str
    trial: str | None = None
    block: int | None = None
    arm: str | None = None
    stream: str | None = None
    key: str | None = None
    label: str | None = None
    unit: str | None = None
    t_s: float | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    text: str | None = None


def report_rows(report: Report) -> Iterator[Row]:
    """All but the series. Names that sentences quote stand without the marks of Markdown; what people wrote stays."""
    for row in _report_rows(report):
        yield row if row.table == "notes" else row._replace(label=_plain(row.label), text=_plain(row.text))


def _plain(text: str | None) -> str | None:
    return text and text.replace("`", "")


def _report_rows(report: Report) -> Iterator[Row]:
    yield from _answers(report)
    for former in report.judged_before:
        judged_at = former.judged_at.isoformat() if former.judged_at is not None else None
        yield Row("judged_before", key=f"method {former.method}", label=judged_at, text=former.headline)
    yield from _arms(report)
    for trial in report.trials:
        yield from _trial(trial.summary)
        yield from search_rows(trial.summary)
        yield from curve_rows(trial.summary)
    yield from _sizing(report)
    yield from _heats(report)
    for threshold in report.thresholds:
        yield Row(
            "thresholds", arm=threshold.arm, label=threshold.text, value=threshold.observed,
            text=f"{threshold.outcome}: {threshold.message}",
        )  # fmt: skip
    for check in report.analysis.checks.results:
        yield Row("checks", key=check.key, label=check.title, text=f"{check.severity}: {check.message}")
    yield from _notes(report)


def _sizing(report: Report) -> Iterator[Row]:
    """Each arm's capacity at each goal, and whether it was searched for or derived; or why it was not measured."""
    if report.sizing is None:
        return
    for one in report.sizing.percentiles:
        for arm in one.arms:
            for goal_ms, rate in zip(one.goals_ms, arm.rates, strict=True):
                text = f"{rate.how}: {rate.why}" if rate.why is not None else rate.how
                yield Row(
                    "sizing", arm=arm.arm, stream=report.sizing.stream, key=f"{one.percentile}_ms",
                    label=f"{goal_ms:g}", unit="requests/s", value=rate.per_s, low=rate.low, high=rate.high, text=text,
                )  # fmt: skip


def _heats(report: Report) -> Iterator[Row]:
    """What each heat that chose arms measured of each, as it was then: all heats until then together."""
    if (chosen := report.analysis.selection) is None:
        return
    for one in chosen.heats:
        for arm in one.arms:
            key, text = f"heat {one.number}", "stays" if arm.stays else f"dropped: {arm.reason}"
            yield Row("heats", arm=arm.arm, key=key, label=chosen.metric, unit=chosen.unit, value=arm.mean, text=text)


def series_rows(series: TrialSeries) -> Iterator[Row]:
    """The points of a trial's charts; one without a value is a gap."""
    trial = str(series.trial_id)
    for line in series.series:
        for t_s, value in line.points:
            yield Row("series", trial, series.block, series.arm, None, line.key, line.label, line.unit, t_s, value)


def _answers(report: Report) -> Iterator[Row]:
    for answer in report.analysis.answers:
        text = f"{answer.word}: {answer.text}" if answer.text else answer.word
        yield Row("answers", stream=answer.stream, key=answer.metric, label=answer.question, text=text)


def _arms(report: Report) -> Iterator[Row]:
    units = {info.key: info.unit for info in report.analysis.metrics}
    for arm in report.analysis.arms:
        groups: list[tuple[str | None, list[ArmMetric]]] = [(None, arm.metrics)]
        groups += [(stream.stream, stream.metrics) for stream in arm.streams]
        for stream, metrics in groups:
            for one in metrics:
                unit = units.get(one.metric)
                place = (None, None, arm.key, stream, one.metric, arm.label)
                yield Row("arms", *place, unit=unit, value=one.mean, text=one.missing_reason)
                if (found := one.comparison) is not None:
                    yield Row(
                        "comparisons", *place, unit=found.scale, value=found.estimate, low=found.ci_low,
                        high=found.ci_high, text=found.verdict,
                    )  # fmt: skip
        for point in arm.shift.points if arm.shift is not None else []:
            yield Row(
                "shift", arm=arm.key, key=f"p{100 * point.fraction:g}", label=arm.label, unit="ratio",
                value=point.ratio, low=point.low, high=point.high,
            )  # fmt: skip


def _notes(report: Report) -> Iterator[Row]:
    trials = {one.trial.id: one.trial for one in report.trials}
    for note in report.notes:
        trial = trials.get(note.trial_id) if note.trial_id else None
        block, arm = (trial.block, trial.arm) if trial is not None else (None, None)
        yield Row("notes", str(note.trial_id) if note.trial_id else None, block, arm, t_s=note.t_s, text=note.text)


def _trial(summary: TrialSummary) -> Iterator[Row]:
    for metric in METRICS:
        value = metric.value(summary)
        if value is not None:
            yield Row(
                "trials", str(summary.trial_id), summary.block, summary.arm,
                key=metric.info.key, label=metric.info.title, unit=metric.info.unit, value=value,
            )  # fmt: skip


_STEP_FIGURES = {
    "per_s": "requests/s", "achieved_per_s": "requests/s", "failed": "requests",
    "p50_us": "us", "p90_us": "us", "p99_us": "us", "p999_us": "us",
}  # fmt: skip


def search_rows(summary: TrialSummary) -> Iterator[Row]:
    """What each search found, and its steps: their labels number them, their texts say what became of them."""
    place = (str(summary.trial_id), summary.block, summary.arm)
    for search in summary.searches:
        yield Row(
            "searches", *place, key=CAPACITY, label=search.goal_text, unit="requests/s", value=search.capacity_per_s,
            low=search.low_per_s, high=search.high_per_s, text=search.without_value or "found",
        )  # fmt: skip
        for step in search.steps:
            for key, unit in _STEP_FIGURES.items():
                yield Row(
                    "steps", *place, key=key, label=f"{step.number}", t_s=step.t_s, unit=unit,
                    value=getattr(step, key), text=step.result,
                )  # fmt: skip


def curve_rows(summary: TrialSummary) -> Iterator[Row]:
    """The plateau of each curve, and its rates: their labels number them, their texts say whether throughput
    followed."""
    place = (str(summary.trial_id), summary.block, summary.arm)
    for curve in summary.curves:
        yield Row(
            "curves", *place, key=PLATEAU, unit="requests/s", value=curve.plateau_per_s,
            text=curve.without_plateau or "plateau",
        )  # fmt: skip
        if curve.knee_connections is not None:
            yield Row("curves", *place, key="knee", unit="connections", value=curve.knee_connections)
        for rate in curve.rates:
            became = "generator late" if rate.generator_late else "followed" if rate.followed else "not followed"
            counted = {"connections": "connections"} if rate.connections is not None else {}
            for key, unit in (counted | _STEP_FIGURES).items():
                yield Row(
                    "rates", *place, key=key, label=f"{rate.number}", t_s=rate.t_s, unit=unit,
                    value=getattr(rate, key), text=became,
                )  # fmt: skip


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBERS = frozenset({"block", "t_s", "value", "low", "high"})
HEADER = ",".join(Row._fields) + "\r\n"


def csv_lines(rows: Iterable[Row]) -> str:
    """A spreadsheet must not take a text for a formula, so such a cell begins with an apostrophe."""
    lines = io.StringIO()
    csv.writer(lines).writerows([_cell(name, value) for name, value in row._asdict().items()] for row in rows)
    return lines.getvalue()


def _cell(name: str, value: str | float | None) -> str | float | None:
    is_formula = name not in _NUMBERS and isinstance(value, str) and value.startswith(_FORMULA)
    return f"'{value}" if is_formula else value
