"""A report as Markdown, the answers first: for a pull request, a ticket or a chat."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ngxlab.analysis.checks.check import figure
from ngxlab.analysis.schemas import ArmAnalysis, ArmMetric, RunAnalysis
from ngxlab.reports.schemas import Report

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_CODE = re.compile(r"(`[^`]+`)")
_BAD = frozenset({"warning", "error"})


def markdown(report: Report) -> str:
    run, analysis = report.run, report.analysis
    parts = [
        f"# {_text(run.experiment_name)} #{run.number}",
        _text(run.question),
        *_answers(analysis),
        _text(analysis.qualification),
        *_judged_before(report),
        *_matrix(analysis),
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
    """Arms by primary metrics: value, change, interval and verdict."""
    names = {info.key: f"{info.title}, {info.unit}" if info.unit else info.title for info in analysis.metrics}
    shown = [key for key in analysis.primary if key in names]
    if shown:
        rows = [[_text(arm.label), *(_cell(_of(arm, key)) for key in shown)] for arm in analysis.arms]
        yield _table(["Arm", *(_text(names[key]) for key in shown)], rows)


def _of(arm: ArmAnalysis, key: str) -> ArmMetric | None:
    return next((one for one in arm.metrics if one.metric == key), None)


def _cell(one: ArmMetric | None) -> str:
    if one is None or one.mean is None:
        return "–"
    words = [figure(one.mean, 4)]
    if (found := one.comparison) is not None:
        interval = f" ({f'{found.interval} {found.ci_text}'.strip()})" if found.ci_text else ""
        words += [f"{found.text}{interval}", found.verdict.replace("_", " ")]
    return _text(", ".join(words))


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
