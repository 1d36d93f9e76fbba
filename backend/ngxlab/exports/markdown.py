"""A report as Markdown, the answers first: for a pull request, a ticket or a chat."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ngxlab.analysis.checks.check import figure
from ngxlab.analysis.phases import Part
from ngxlab.analysis.schemas import ArmAnalysis, ArmMetric, RunAnalysis, SizedGoals, SizedRate
from ngxlab.profiles.schemas import ArmPhasesOut, PhaseOut
from ngxlab.reports.schemas import Report

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_CODE = re.compile(r"(`[^`]+`)")
_BAD = frozenset({"warning", "error"})


def markdown(report: Report, phases: Sequence[ArmPhasesOut] = ()) -> str:
    """``phases``: where the time of requests goes, of the arms that were profiled."""
    run, analysis = report.run, report.analysis
    parts = [
        f"# {_text(run.experiment_name)} #{run.number}",
        _text(run.question),
        *_answers(analysis),
        _text(analysis.qualification),
        *_judged_before(report),
        *_matrix(analysis),
        *_section("Why", _why(report)),
        *_phases(report, phases),
        *_section("Choice of the arms", _chosen(report)),
        *_sizing(report),
        *_section("Beside the claims", [line for one in analysis.statements for line in (*one.beside, *one.cautions)]),
        *_section("Conclusion", report.findings.conclusion if report.findings else []),
        *_section("Thresholds", [f"{one.text}: {one.outcome}. {one.message}" for one in report.thresholds]),
        *_section("Checks", _checks(report)),
        *_section("Notes", _notes(report)),
        *_section("Set-up", _setup(report)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _answers(analysis: RunAnalysis) -> Iterator[str]:
    if analysis.answers:
        rows = [(one.question, f"**{_text(one.word)}**", _text(one.text)) for one in analysis.answers]
        yield _table(("Question", "Answer", "Change"), [(_text(question), *rest) for question, *rest in rows])
    else:
        yield _text(analysis.headline)


def _judged_before(report: Report) -> Iterator[str]:
    """What earlier versions of the method said, and which."""
    for one in report.judged_before:
        by, on = f"method {one.method}" if one.method else "a method from before versions were counted", one.judged_at
        when = f"on {on:%Y-%m-%d}" if on is not None else f"until {one.until:%Y-%m-%d}"
        yield _text(f"Judged differently before: {when} by {by} it said: {one.headline}")


def _matrix(analysis: RunAnalysis) -> Iterator[str]:
    """Arms by primary metrics, written as on the page: value, change, interval and verdict."""
    infos = {info.key: info for info in analysis.metrics}
    asked = [(one.stream, one.metric) for one in analysis.answers] or [(None, key) for key in analysis.primary]
    shown = [(stream, infos[key]) for stream, key in asked if key in infos]
    if shown:
        columns = [_column(analysis, stream, info.key, info.unit) for stream, info in shown]
        titles = [f"{info.title} ({stream})" if stream else info.title for stream, info in shown]
        rows = [[_text(arm.label), *cells] for arm, *cells in zip(analysis.arms, *columns, strict=True)]
        yield _table(["Arm", *(_text(title) for title in titles)], rows)


def _column(analysis: RunAnalysis, stream: str | None, key: str, unit: str) -> list[str]:
    found = [_of(arm, stream, key) for arm in analysis.arms]
    means = [one.mean for one in found if one is not None and one.mean is not None]
    return [_cell(one, means, unit) for one in found]


def _of(arm: ArmAnalysis, stream: str | None, key: str) -> ArmMetric | None:
    of_stream = (one.metrics for one in arm.streams if one.stream == stream)
    metrics = arm.metrics if stream is None else next(of_stream, [])
    return next((one for one in metrics if one.metric == key), None)


def _cell(one: ArmMetric | None, means: Sequence[float], unit: str) -> str:
    if one is None or one.mean is None:
        return "–"
    words = [in_column(one.mean, means, unit)]
    if (found := one.comparison) is not None:
        interval = f" ({f'{found.interval} {found.ci_text}'.strip()})" if found.ci_text else ""
        words += [f"{found.text}{interval}", found.verdict.replace("_", " ")]
    return _text(", ".join(words))


def _why(report: Report) -> Iterator[str]:
    titles = {info.key: info.title for info in report.analysis.metrics}
    for one in report.why:
        of = f" ({one.stream})" if one.stream else ""
        yield f"{', '.join(titles.get(key, key) for key in one.metrics)}{of}. {one.text}"
        if one.found == "cause":
            yield from (f"{piece.text}" for piece in one.evidence if piece.kind != "limit")
    if any(one.found == "not_profiled" for one in report.why):
        yield (
            "What causes it was not looked for: that takes two profiles of each arm "
            f"(`ngxlab profile {report.run.id}`)."
        )


def _phases(report: Report, phases: Sequence[ArmPhasesOut]) -> Iterator[str]:
    """Arms by the parts of a request: the mean, p99, and the difference from the baseline."""
    parts = list(dict.fromkeys(one.phase for arm in phases for one in arm.phases))
    if not parts:
        return
    labels = {arm.key: arm.label for arm in report.arms}
    yield "## Where a request's time goes"
    yield "By nginx's own clock, in ms: the mean, p99, and the difference from the baseline, bold where it is said."
    head = ["Arm", "Requests", *(_text(_PARTS[part]) for part in parts)]
    rows = []
    for arm in phases:
        told = {one.phase: one for one in arm.phases}
        cells = [_part(told[part]) if part in told else "–" for part in parts]
        rows.append([_text(labels.get(arm.arm_key, arm.arm_key)), f"{arm.requests:,}", *cells])
    yield _table(head, rows)


_PARTS: Mapping[Part, str] = {
    "open": "Opening the connection",
    "read": "Reading the request",
    "connect": "Connecting upstream",
    "first_byte": "Upstream's first byte",
    "body": "Rest of its answer",
    "write": "All else within nginx",
    "whole": "Whole request",
}


def _part(one: PhaseOut) -> str:
    shown = f"{_number(round(one.mean_ms, 2))}, p99 {one.p99_ms:,.0f}"
    if one.difference_ms is None or one.low_ms is None or one.high_ms is None:
        return shown
    mark = "**" if one.claimed else ""
    return f"{shown}, {mark}{one.difference_ms:+,.2f} ({one.low_ms:+,.2f} to {one.high_ms:+,.2f}){mark}"


def _chosen(report: Report) -> Iterator[str]:
    """Of many arms: which were left, who was dropped when and why, and how such a choice errs."""
    chosen, labels = report.analysis.selection, {arm.key: arm.label for arm in report.arms}
    if chosen is None:
        return
    yield chosen.text
    for one in chosen.heats:
        for arm in one.arms:
            if arm.reason is not None:
                yield f"Heat {one.number} dropped {labels.get(arm.arm, arm.arm)}. {arm.reason}"
    if chosen.error is not None:
        yield chosen.error


_GOALS = 6
"""Columns of the table of sizing: more do not fit a page. All of them are in the data."""


def _sizing(report: Report) -> Iterator[str]:
    """Arms by goals, of the percentile that was searched for, or of p99 of a curve."""
    found = report.sizing
    if found is None or not found.percentiles:
        return
    of = next((one for one in found.percentiles if one.percentile == "p99"), found.percentiles[0])
    shown = _some_goals(of)
    labels = {arm.key: arm.label for arm in report.arms}
    name = of.percentile.replace("p999", "p99.9").replace("p50", "median")
    yield "## Sizing"
    if found.not_valid is not None:
        yield _text(f"Not valid: {found.not_valid}")
    besides = f", at {of.besides}" if of.besides is not None else ""
    yield _text(
        f"Requests a second that the host serves at a bound on the {name}{besides}, with 95 % intervals by blocks. "
        "* derived from the rates that were tried, not searched for."
    )
    head = ["Arm", *(_text(f"{name} ≤ {of.goals_ms[place]:g} ms") for place in shown)]
    rows = [[_text(labels.get(arm.arm, arm.arm)), *(_sized(arm.rates[at]) for at in shown)] for arm in of.arms]
    yield _table(head, rows)


def _some_goals(of: SizedGoals) -> list[int]:
    """Places of some goals, evenly, the one that was searched for among them."""
    count = len(of.goals_ms)
    if count <= _GOALS:
        return list(range(count))
    places = {round(number * (count - 1) / (_GOALS - 1)) for number in range(_GOALS)}
    if of.searched_ms in of.goals_ms:
        searched = of.goals_ms.index(of.searched_ms)
        places = {*places - {min(places, key=lambda place: abs(place - searched))}, searched}
    return sorted(places)


def _sized(rate: SizedRate) -> str:
    if rate.per_s is None:
        return _text("not measured")
    interval = f" ({rate.low:,.0f} to {rate.high:,.0f})" if rate.low is not None and rate.high is not None else ""
    return _text(f"{rate.per_s:,.0f}{interval}{' *' if rate.how == 'derived' else ''}")


def _checks(report: Report) -> list[str]:
    found = report.analysis.checks
    bad = [f"{one.severity}: {one.title}. {one.message}" for one in found.results if one.severity in _BAD]
    return [found.text, *bad]


def _notes(report: Report) -> Iterator[str]:
    """Each on one line, with the trial that it is on."""
    trials = {one.trial.id: one.trial for one in report.trials}
    labels = {arm.key: arm.label for arm in report.analysis.arms}
    for note in report.notes:
        trial = trials.get(note.trial_id) if note.trial_id else None
        place = f"{labels.get(trial.arm, trial.arm)}, block {trial.block}" if trial is not None else "Run"
        moment = f" at {note.t_s:g} s" if note.t_s is not None else ""
        yield f"{place}{moment}: {note.text}"


def _setup(report: Report) -> list[str]:
    run = report.run
    facts = [f"{run.plan.blocks} blocks, {run.plan.measure_s:g} s measured in each trial, seed {run.seed}"]
    if run.started_at is not None:
        facts.append(f"Started {run.started_at:%Y-%m-%d %H:%M} UTC")
    if (revision := run.revision) is not None:
        facts.append(f"Of {revision.text}")
    facts += [f"Host {host.name}: {', '.join(host.roles)}" for host in report.hosts]
    return [*facts, f"Run {run.id}"]


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    if items := [f"- {_text(line)}" for line in lines]:
        yield f"## {title}"
        yield "\n".join(items)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _text(text: str) -> str:
    """One line that Markdown shows as it is; names in backticks stay code."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(
        part.replace("|", r"\|") if place % 2 else _SPECIAL.sub(r"\\\1", part) for place, part in enumerate(parts)
    )


_MINUS = "\N{MINUS SIGN}"


class _Scales(NamedTuple):
    """``factor``: how much of the first of ``names`` one of the unit is; each name is ``base`` times the one before."""

    factor: float
    base: int
    names: Sequence[str]


_TIME, _BYTES = ("µs", "ms", "s"), ("B", "KiB", "MiB", "GiB", "TiB")
_SCALED = {
    "us": _Scales(1, 1000, _TIME),
    "ms": _Scales(1e3, 1000, _TIME),
    "s": _Scales(1e6, 1000, _TIME),
    "bytes": _Scales(1, 1024, _BYTES),
    "bytes/s": _Scales(1, 1024, [f"{name}/s" for name in _BYTES]),
    "bit/s": _Scales(1, 1000, ("bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s")),
}
_SHORT = {"requests/s": "req/s"}


def in_column(value: float, peers: Iterable[float], unit: str) -> str:
    """As pages write it (``frontend/src/lib/format.ts``): ``1.21 ms``, ``42,901 req/s``, ``0.30``.

    A scaled unit is that of the greatest of its ``peers``.
    """
    if unit == "CV":
        return f"{value:.2f}".replace("-", _MINUS)
    if unit == "%" and 0 < abs(value) < 1:
        return f"{figure(value, 2)} %".replace("-", _MINUS)
    if (scales := _SCALED.get(unit)) is None:
        return f"{_number(value)} {_SHORT.get(unit, unit)}".rstrip()
    size = max(abs(one) for one in (value, *peers)) * scales.factor
    power = max((power for power in range(len(scales.names)) if size >= scales.base**power), default=0)
    return f"{_number(value * scales.factor / scales.base**power)} {scales.names[power]}"


def _number(value: float) -> str:
    """Three significant digits below 1,000, whole numbers above."""
    size = abs(value)
    if value == 0 or size < 1:
        text = figure(value, 3) if value else "0"
    elif value.is_integer():
        text = f"{value:,.0f}"
    else:
        text = f"{value:,.{0 if size >= 100 else 1 if size >= 10 else 2}f}"
    return text.replace("-", _MINUS)
