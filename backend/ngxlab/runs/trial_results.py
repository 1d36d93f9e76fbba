"""Summaries and checks of trials: kept beside each trial, and computed from its raw data where they are missing."""

import asyncio
from collections.abc import Mapping, Sequence
from uuid import UUID

import structlog
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.checks import check_trial
from ngxlab.analysis.records.chosen_window import rewindowed
from ngxlab.analysis.records.stream_spans import Span
from ngxlab.analysis.schemas import CheckResult, TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.core.stored import Unreadable
from ngxlab.metrics.raw_data import RawData, raw_data
from ngxlab.metrics.service import ReportingHost
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.states import TrialState
from ngxlab.runs.telemetry import reporting_hosts, trial_record
from ngxlab.runs.windows import repository as windows
from ngxlab.runs.windows.current import Windows, current

log = structlog.get_logger()

Result = tuple[TrialSummary, list[CheckResult]]

UNREADABLE = Unreadable.code
"""The code of a trial whose stored data cannot be analysed. Each report tries again: a newer version may read them."""

TRIALS_AT_ONCE = 10
"""Of which the raw data are read with one query. Those of twice as many are in memory together."""


async def trial_results(session: AsyncSession, run: Run, trials: Sequence[Trial]) -> dict[UUID, Result | Exception]:
    """By trial: its summary and checks, or why its data cannot be analysed. What is kept is of the window that holds
    now; the rest is computed, and kept if the trial is over."""
    chosen = current(await windows.changes(session, run.id))
    found: dict[UUID, Result | Exception] = {}
    for trial in trials:
        if (kept := _kept(trial, chosen.of(trial.id))) is not None:
            found[trial.id] = kept
    missing = [trial for trial in trials if trial.id not in found]
    found |= await compute(session, run, missing, chosen)
    for trial in missing:
        keep(trial, found[trial.id])
    return found


async def compute(
    session: AsyncSession, run: Run, trials: Sequence[Trial], chosen: Windows | None = None
) -> dict[UUID, Result | Exception]:
    """From the raw data: while some trials are computed, the data of the next ones are read."""
    if chosen is None:
        chosen = current(await windows.changes(session, run.id))
    found: dict[UUID, Result | Exception] = {}
    before: asyncio.Task[dict[UUID, Result | Exception]] | None = None
    for begin in range(0, len(trials), TRIALS_AT_ONCE):
        some = trials[begin : begin + TRIALS_AT_ONCE]
        hosts = _hosts(run, some)
        data = await raw_data(session, [trial.id for trial in some])
        if before is not None:
            found |= await before
        before = asyncio.create_task(asyncio.to_thread(_compute, some, hosts, data, chosen))
    return found | (await before if before is not None else {})


def _hosts(run: Run, trials: Sequence[Trial]) -> dict[UUID, list[ReportingHost] | Unreadable]:
    found: dict[UUID, list[ReportingHost] | Unreadable] = {}
    for trial in trials:
        try:
            found[trial.id] = reporting_hosts(run, trial)
        except Unreadable as error:
            found[trial.id] = error
    return found


def keep(trial: Trial, result: Result | Exception) -> None:
    """Beside the trial, if it is over."""
    if isinstance(result, Exception):
        trial.summary = trial.checks = None
        _name_unreadable(trial, result)
        return
    if not TrialState(trial.state).final:
        return
    if trial.code == UNREADABLE and trial.state == TrialState.completed:  # by an older version
        trial.code = trial.reason = None
    summary, checks = result
    trial.summary = summary.model_dump(mode="json")
    trial.checks = [check.model_dump(mode="json") for check in checks]


def short(error: Exception) -> str:
    """One line for people; the log has the rest."""
    if isinstance(error, Unreadable):
        return error.detail
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no reason given'}"[:300]


def _name_unreadable(trial: Trial, error: Exception) -> None:
    """Once: in the log, and at a trial that is over where people look for what happened to it."""
    detail = f"Its data cannot be analysed: {short(error)}"
    if trial.code == UNREADABLE and trial.reason == detail:
        return
    log.error("trial cannot be analysed", trial_id=str(trial.id), exc_info=error)
    if TrialState(trial.state).final:
        trial.code, trial.reason = UNREADABLE, detail


def _compute(
    trials: Sequence[Trial],
    hosts: Mapping[UUID, list[ReportingHost] | Unreadable],
    data: RawData,
    chosen: Windows,
) -> dict[UUID, Result | Exception]:
    return {trial.id: _result(trial, hosts[trial.id], data, chosen.of(trial.id)) for trial in trials}


def _result(
    trial: Trial, hosts: list[ReportingHost] | Unreadable, data: RawData, window: Span | None
) -> Result | Exception:
    if isinstance(hosts, Unreadable):
        return hosts
    try:
        record = rewindowed(trial_record(trial, hosts, data), window)
        summary = summarise_trial(record)
        return summary, check_trial(record, summary)
    except Exception as error:  # noqa: BLE001  (whatever stored data provoke is named and costs this trial alone)
        return error


def _kept(trial: Trial, window: Span | None) -> Result | None:
    if trial.summary is None or trial.checks is None:
        return None
    try:
        summary = TrialSummary.model_validate(trial.summary)
        checks = [CheckResult.model_validate(check) for check in trial.checks]
    except ValidationError:
        log.warning("kept summary is unreadable: computing it again", trial_id=str(trial.id))
        return None
    of = summary.window_chosen
    return (summary, checks) if (Span(of.start_s, of.end_s) if of is not None else None) == window else None
