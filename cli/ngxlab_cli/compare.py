"""``ngxlab compare``: arms of several runs, as text, Markdown or JSON."""

import argparse
from collections.abc import Sequence
from urllib.parse import urlencode

from ngxlab_cli import tables
from ngxlab_cli.client import LabClient
from ngxlab_cli.documents import OUTCOMES, Shown
from ngxlab_cli.errors import UsageError
from ngxlab_cli.models import ArmAnalysis, Difference, RunComparison
from ngxlab_cli.run_names import run_id

_WORDS = {
    "pass": "No arm is worse in a primary metric.",
    "fail": "Worse: see below.",
    "undecided": "Not decided: the intervals leave it open whether an arm is worse.",
    "not_valid": "Not valid, or nothing can be compared.",
}


def compare(client: LabClient, arguments: argparse.Namespace) -> Shown:
    runs, arms = [str(run_id(client, name)) for name in arguments.runs], arguments.arm
    if len(set(runs)) < 2:
        raise UsageError("give two runs or more")
    baseline = arguments.baseline or runs[0]
    query = {"runs": runs, "arms": arms, "baseline": baseline}
    found = client.call("GET", "/compare", RunComparison, params=query)
    shown = {"runs": ",".join(runs), "arms": ",".join(arms), "baseline": baseline}
    page = f"{client.url}/compare?{urlencode({name: text for name, text in shown.items() if text}, safe=',:')}"
    words = (markdown if arguments.markdown else plain)(found, page)
    return Shown({"url": page, **found.model_dump(mode="json")}, words, OUTCOMES[found.outcome])


def plain(found: RunComparison, page: str) -> str:
    sections = [tables.paragraph(_WORDS[found.outcome])]
    if found.analysis.answers:
        sections.append(tables.answers(found.analysis.answers))
    said = [*(one.text for one in found.analysis.statements), *_refusals(found)]
    sections.append("\n".join(tables.paragraph(text) for text in said))
    if found.differences:
        sections.append(tables.columns([["ROLE", "DIFFERS", "VALUES"], *_differences(found)]))
    sections.append("\n".join(tables.paragraph(note, "- ") for note in found.notes))
    return "\n\n".join([section for section in sections if section] + [f"comparison: {page}"])


def markdown(found: RunComparison, page: str) -> str:
    """Markdown for a pull request: the answers, a table of the arms, what differs, and the sentences folded."""
    lines = [f"**{_WORDS[found.outcome]}** [Comparison]({page})", ""]
    lines += [
        f"- {one.question} **{one.word}**{f': {_cell(one.text)}' if one.text else ''}" for one in found.analysis.answers
    ]
    lines += ["", *_table(found), ""]
    if found.differences:
        lines += ["| Differs | Values | Role |", "|---|---|---|"]
        lines += [f"| {_cell(title)} | {_cell(values)} | {role} |" for role, title, values in _differences(found)]
        lines.append("")
    said = [*(one.text for one in found.analysis.statements), *_refusals(found), *found.notes]
    lines += ["<details><summary>In words</summary>", "", *(f"- {text}" for text in said), "", "</details>"]
    return "\n".join(lines)


def _table(found: RunComparison) -> list[str]:
    metrics = found.analysis.metrics
    if not found.analysis.arms:
        return []
    head = ["Arm", *(f"{metric.title} ({metric.unit})" if metric.unit else metric.title for metric in metrics)]
    rows = [[_cell(arm.label), *(_figure(arm, metric.key) for metric in metrics)] for arm in found.analysis.arms]
    return [_row(head), _row(["---"] * len(head)), *map(_row, rows)]


def _figure(arm: ArmAnalysis, metric: str) -> str:
    measured = next((one for one in arm.metrics if one.metric == metric), None)
    if measured is None or measured.mean is None:
        return "–"
    mean = tables.number(measured.mean)
    comparison = measured.comparison
    if comparison is None:
        return mean
    interval = f" ({f'{comparison.interval} {comparison.ci_text}'.strip()})" if comparison.ci_text else ""
    return f"{mean}, {comparison.text}{interval}, {comparison.verdict.replace('_', ' ')}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _refusals(found: RunComparison) -> list[str]:
    return [f"Not compared: {arm.name}: {arm.refused}." for arm in found.arms if arm.refused is not None]


def _differences(found: RunComparison) -> list[list[str]]:
    return [[one.role, one.title, _values(one, found)] for one in found.differences]


def _values(difference: Difference, found: RunComparison) -> str:
    named: dict[str, list[str]] = {}
    for arm in found.arms:
        if arm.key in difference.values:
            named.setdefault(difference.values[arm.key], []).append(arm.name)
    return "; ".join(f"{value} ({', '.join(names)})" for value, names in named.items())
