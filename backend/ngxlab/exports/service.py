"""Make the files that a run can be taken away as: in pieces, so that a large run takes no more memory than a small one.

What a file tells is what a share shows: no person's address, no host's (``reports.redaction``).
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.series.derive import Wanted
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.errors import Conflict, NotFound
from ngxlab.exports import histograms, page, parquet_file, pdf
from ngxlab.exports.archive import writing
from ngxlab.exports.formats import ExportName, RunName, run_name
from ngxlab.exports.markdown import markdown
from ngxlab.exports.open_metrics import TimedSeries, open_metrics, timed_metrics
from ngxlab.exports.rows import HEADER, csv_lines, report_rows, series_rows
from ngxlab.metrics.schemas import TrialLatencyMaps, TrialSeries
from ngxlab.profiles import service as profiles
from ngxlab.profiles.schemas import ArmPhasesOut, ArmProfileOut, ProfileDifference
from ngxlab.reports import service as reports
from ngxlab.reports.redaction import redacted_report, redacted_series
from ngxlab.reports.schemas import Report
from ngxlab.runs import service as runs
from ngxlab.runs.models import Run, Trial, require_raw_data
from ngxlab.runs.telemetry import reporting_hosts, trial_latency_maps, trial_series

POINTS = 10_000
"""The most of each line: all readings of a trial of up to that many intervals."""
PAGE_POINTS = 600
"""As the page of a report has them."""

_Read = TypeVar("_Read")


@dataclass(frozen=True)
class Export:
    name: RunName
    pieces: AsyncGenerator[bytes]


async def export(
    database: Database,
    settings: Settings,
    run_id: UUID,
    name: ExportName,
    *,
    shown: Report | None,
    sheets: pdf.Sheets,
) -> Export:
    """What can be refused is refused before the first piece.

    ``shown``: the report as a link shows it; without one, it is that of now. ``sheets``: those of a PDF.
    """
    if name in {ExportName.run_zip, ExportName.histograms_hlog}:
        async with database.transaction() as session:
            require_raw_data(await runs.get(session, run_id))
    if name is ExportName.run_zip:
        return Export(*await writing.archive(database, run_id, settings.public_url))
    report = shown or await _report_now(database, run_id)
    named = run_name(report.run)
    if name is ExportName.report_md:
        return Export(named, _once(markdown(report, [one async for one in _phases(database, report)])))
    if name in {ExportName.metrics_txt, ExportName.metrics_om}:
        return Export(named, _metrics(database, report, timed=name is ExportName.metrics_om))
    if name is ExportName.data_json:
        return Export(named, _json(database, report))
    if name is ExportName.data_csv:
        return Export(named, _csv(database, report))
    if name is ExportName.data_parquet:
        return Export(named, parquet_file.pieces(report, _series(database, report, POINTS)))
    if name is ExportName.histograms_hlog:
        return Export(named, histograms.log(database, run_id))
    html = _page(database, settings, report)
    if name is ExportName.report_html:
        return Export(named, html)
    return Export(named, _once(await pdf.printed(html, settings.chromium, sheets)))


def _page(database: Database, settings: Settings, report: Report) -> AsyncGenerator[bytes]:
    if (template := page.template(settings.frontend_dir)) is None:
        raise NotFound("This server has no page for files: its frontend was built elsewhere.", code="no-page")
    parts = {
        "series": _series(database, report, PAGE_POINTS),
        "latency_maps": _latency_maps(database, report),
        "profiles": _profiles(database, report),
        "profile_differences": _profile_differences(database, report),
        "phases": _phases(database, report),
    }
    return page.pieces(template, report, parts)


async def _report_now(database: Database, run_id: UUID) -> Report:
    async with database.transaction() as session:
        return redacted_report(await reports.report(session, run_id, None))


async def _once(content: str | bytes) -> AsyncGenerator[bytes]:
    yield content.encode() if isinstance(content, str) else content


async def _series(database: Database, report: Report, points: int) -> AsyncIterator[TrialSeries]:
    """Those of each trial of the report."""
    async for series in _of_trials(database, report, partial(trial_series, wanted=Wanted(points))):
        yield redacted_series(series)


def _metrics(database: Database, report: Report, *, timed: bool) -> AsyncGenerator[bytes]:
    return timed_metrics(report, _timed_series(database, report)) if timed else _once(open_metrics(report))


async def _timed_series(database: Database, report: Report) -> AsyncIterator[TimedSeries]:
    """Those of each trial that has begun, by the server's clock, as agents start by it."""
    async for timed in _of_trials(database, report, _read_timed):
        if timed is not None:
            yield timed._replace(series=redacted_series(timed.series))


async def _read_timed(session: AsyncSession, run: Run, trial: Trial) -> TimedSeries | None:
    hosts = reporting_hosts(run, trial)
    if trial.start_at_us is None or not hosts:
        return None
    start_s = trial.start_at_us / 1e6 + hosts[0].spec.timing.warmup_s
    return TimedSeries(start_s, await trial_series(session, run, trial, Wanted(POINTS)))


def _latency_maps(database: Database, report: Report) -> AsyncIterator[TrialLatencyMaps]:
    return _of_trials(database, report, trial_latency_maps)


async def _profiled(database: Database, report: Report) -> list[str]:
    """The arms that were profiled."""
    async with database.transaction() as session:
        return [one.arm_key for one in await profiles.summaries(session, report.run.id)]


async def _profiles(database: Database, report: Report) -> AsyncIterator[ArmProfileOut]:
    for arm in await _profiled(database, report):
        async with database.transaction() as session:
            found = await profiles.profile(session, report.run.id, arm)
        yield found


async def _profile_differences(database: Database, report: Report) -> AsyncIterator[ProfileDifference]:
    """Of each other arm and the baseline, both ways: those of all pairs would be many."""
    arms, baseline = await _profiled(database, report), report.analysis.baseline
    others = [arm for arm in arms if arm != baseline] if baseline in arms else []
    for arm, against in [pair for other in others for pair in ((other, baseline), (baseline, other))]:
        async with database.transaction() as session:
            found = await profiles.difference(session, report.run.id, arm, against)
        yield found


async def _phases(database: Database, report: Report) -> AsyncIterator[ArmPhasesOut]:
    """Of each arm, against the baseline."""
    async with database.transaction() as session:
        found = await profiles.phases(session, report.run.id, report.analysis.baseline)
    for one in found:
        yield one


async def _of_trials(
    database: Database, report: Report, read: Callable[[AsyncSession, Run, Trial], Awaitable[_Read]]
) -> AsyncIterator[_Read]:
    """What is read of each trial of the report, in a transaction of its own: a slow reader holds none."""
    for trial_id in _trials(report):
        try:
            async with database.transaction() as session:
                trial = await runs.trial(session, trial_id)
                found = await read(session, await runs.get(session, trial.run_id), trial)
        except Conflict:  # what is stored of it cannot be read, which the report says
            continue
        yield found


def _trials(report: Report) -> Sequence[UUID]:
    return [one.trial.id for one in report.trials]


async def _json(database: Database, report: Report) -> AsyncGenerator[bytes]:
    yield b'{"report":' + report.model_dump_json().encode() + b',"series":['
    separator = b""
    async for series in _series(database, report, POINTS):
        yield separator + (await asyncio.to_thread(series.model_dump_json)).encode()
        separator = b","
    phases = ",".join([one.model_dump_json() async for one in _phases(database, report)])
    yield f'],"phases":[{phases}]}}\n'.encode()


async def _csv(database: Database, report: Report) -> AsyncGenerator[bytes]:
    yield HEADER.encode()
    yield (await asyncio.to_thread(csv_lines, report_rows(report))).encode()
    async for series in _series(database, report, POINTS):
        yield (await asyncio.to_thread(csv_lines, series_rows(series))).encode()
