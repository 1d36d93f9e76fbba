"""Trends of an experiment, from what its finished runs have kept."""

import asyncio
from collections.abc import Sequence, Set
from functools import partial
from uuid import UUID

from ngxlab_contracts.sentences import say
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.experiments import service as experiments
from ngxlab.runs.results.jobs import failed_verdicts, judge_later
from ngxlab.trends.lines import Changes, Line, lines_of, search
from ngxlab.trends.readings import needs_means, read, run_of
from ngxlab.trends.repository import MOST_RUNS, StoredRun, branches, latest_runs
from ngxlab.trends.schemas import TrendLine, TrendMetric, Trends
from ngxlab.trends.statements import latest_of, said_of

_NOTES = [
    say(
        "A point is the mean of an arm's trials in a run, its whisker the 95 % interval over them. Runs share no "
        "blocks: nothing is paired, and what differs from run to run is part of the scatter of the points."
    ),
    say(
        "A change point is where the level differs by more than the margin and by more than the runs' scatter "
        "explains; there are at least three runs on each side. A nightly run of which nothing changes, and whose runs "
        "scatter independently of each other, shows a false change, or a latest run that falsely differs, about once a "
        "year."
    ),
    say(
        "Runs that drift, so that each resembles the one before, make false change points. Where a drift is seen, "
        "change points are withheld; few runs, or one line, seldom show a drift. So test a change before you believe "
        "it: run old and new as arms of one experiment, which drift together."
    ),
    say(
        "The latest run is compared with the runs since the last change point before it. All statements on it are one "
        "family, at an error so small that looking after every run seldom misleads. A single run that is odd, as "
        "happens on a host that stalls at times, differs all the same: see whether the next one does."
    ),
]


async def trends(session: AsyncSession, experiment_id: UUID, branch: str | None = None) -> Trends:
    """Of all runs, or of those of a branch. Raises NotFound for an experiment that there is not."""
    experiment = await experiments.get(session, experiment_id)
    rows = await latest_runs(session, experiment_id, MOST_RUNS, branch)
    pending = await compute_some(session, [row.id for row in reversed(rows) if needs_means(row)])
    found = await asyncio.to_thread(partial(_trends, experiment_id, experiment.name, rows, pending))
    return found.model_copy(update={"branch": branch, "branches": await branches(session, experiment_id)})


def _trends(experiment_id: UUID, name: str, rows: Sequence[StoredRun], pending: Set[UUID]) -> Trends:
    readings, left_out = read(rows, pending)
    lines = lines_of(readings)
    befores = [None, *readings][: len(readings)]
    return Trends(
        experiment_id=experiment_id,
        experiment_name=name,
        finished=rows[0].total if rows else 0,
        runs=[run_of(reading, before) for reading, before in zip(readings, befores, strict=True)],
        left_out=list(reversed(left_out)),
        metrics=_metrics(lines),
        latest=latest_of(lines, readings[-1]) if lines else None,
        notes=_NOTES if readings else [],
    )


def _metrics(lines: Sequence[Line]) -> list[TrendMetric]:
    by_name: dict[str, list[tuple[Line, Changes]]] = {}
    for line, changes in zip(lines, search(lines), strict=True):
        by_name.setdefault(line.metric.name, []).append((line, changes))
    return [
        TrendMetric(
            name=name,
            info=own[0][0].metric.info,
            stream=own[0][0].metric.stream,
            lines=[_line(line, changes) for line, changes in own],
        )
        for name, own in by_name.items()
    ]


def _line(line: Line, changes: Changes) -> TrendLine:
    return TrendLine(
        arm=line.arm,
        label=line.label,
        points=list(line.points),
        breaks=list(line.breaks),
        change_points=said_of(line, changes),
        none_because=changes.none_because,
    )


async def compute_some(session: AsyncSession, run_ids: Sequence[UUID]) -> frozenset[UUID]:
    """Have them judged, and return those that are to come. What failed is not tried again by itself."""
    wanted = frozenset(run_ids) - await failed_verdicts(session, run_ids)
    for run_id in run_ids:
        if run_id in wanted:
            await judge_later(session, run_id)
    return wanted
