"""``ngxlab trends``: an experiment's metrics over its runs, as text or JSON."""

import argparse
from collections.abc import Iterator
from urllib.parse import urlencode

from ngxlab_cli import tables
from ngxlab_cli.client import LabClient
from ngxlab_cli.documents import Shown
from ngxlab_cli.models import TrendMetric, TrendPoint, Trends


def trends(client: LabClient, arguments: argparse.Namespace) -> Shown:
    path = f"/experiments/{arguments.experiment}/trends"
    query = {"branch": arguments.branch} if arguments.branch else {}
    page = f"{client.url}{path}{'?' * bool(query)}{urlencode(query)}"
    found = client.call("GET", path, Trends, params=query)
    return Shown({"url": page, **found.model_dump(mode="json")}, plain(found, page, arguments.limit))


def plain(found: Trends, page: str, most: int) -> str:
    """Trends as text: whether the latest run differs, what changed, and a table a metric, of ``most`` runs."""
    sections = [found.experiment_name]
    if not found.runs:
        sections.append("No completed run with valid results yet.")
    if found.latest is not None:
        said = [f"#{found.latest.run} different from the runs before? {found.latest.word}."]
        said += [one.text for one in found.latest.statements]
        sections.append("\n".join(tables.paragraph(text) for text in said))
    sections.append("\n".join(tables.paragraph(text, "- ") for text in _changes(found)))
    sections += [_table(metric, found, most) for metric in found.metrics]
    left_out = [f"Not drawn: #{run.number}: {run.reason}." for run in found.left_out]
    sections.append("\n".join(tables.paragraph(text) for text in left_out))
    return "\n\n".join([section for section in sections if section] + [f"trends: {page}"])


def _changes(found: Trends) -> Iterator[str]:
    lines = [line for metric in found.metrics for line in metric.lines]
    for line in lines:
        yield from (point.text for point in line.change_points)
    for reason in dict.fromkeys(line.none_because for line in lines if line.none_because is not None):
        yield f"No change points: {reason}"
    for run in found.runs:
        if run.changes:
            yield f"#{run.number}: {'; '.join(change.text for change in run.changes)}"


def _table(metric: TrendMetric, found: Trends, most: int) -> str:
    title = f"{metric.info.title}, stream {metric.stream}" if metric.stream is not None else metric.info.title
    rows = [["RUN", "STARTED", *(line.label for line in metric.lines)]]
    points = [{point.run: point for point in line.points} for line in metric.lines]
    for run in found.runs[-most:]:
        figures = [_figure(of_line.get(run.number)) for of_line in points]
        rows.append([f"#{run.number}", f"{run.at:%Y-%m-%d %H:%M}", *figures])
    unit = f", {metric.info.unit}" if metric.info.unit else ""
    return f"{title}{unit}\n{tables.columns(rows)}"


def _figure(point: TrendPoint | None) -> str:
    if point is None or point.mean is None:
        return "-"
    if point.low is None or point.high is None:
        return tables.number(point.mean)
    mean, low, high = map(tables.number, (point.mean, point.low, point.high))
    return f"{mean} ({low} to {high})"
