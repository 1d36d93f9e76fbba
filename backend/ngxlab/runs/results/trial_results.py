"""Summaries and checks of trials: kept beside each trial, and computed from its raw data where they are missing."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import structlog
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.checks import check_trial
from ngxlab.analysis.records.stream_spans import Span
from ngxlab.analysis.records.trial_record import rewindowed
from ngxlab.analysis.schemas import CheckResult, TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.core.stored_json import Unreadable
from ngxlab.metrics.repository import RawData, raw_data
from ngxlab.metrics.service import ReportingHost
from ngxlab.runs.models import Run, Trial, raw_removed_words
from ngxlab.runs.states import TrialState
from ngxlab.runs.telemetry import TrialFacts, reporting_hosts, trial_record
from ngxlab.runs.windows import Windows, changes_of, current

Result = tuple[TrialSummary, list[CheckResult]]


class StoredTrial(NamedTuple):
    """A trial as it is stored, which is smaller than what is read from it. ``window``: in place of the planned one."""

    facts: TrialFacts
    hosts: Sequence[ReportingHost]
    data: RawData
    window: Span | None

    @classmethod
    def of(cls, trial: Trial, hosts: Sequence[ReportingHost], data: RawData, window: Span | None) -> "StoredTrial":
        """``data`` may be of many trials."""
        return cls(TrialFacts.of(trial), hosts, data.of(trial.id), window)


def result(stored: StoredTrial) -> Result:
    """Summary and checks."""
    record = rewindowed(trial_record(stored.facts, stored.hosts, stored.data), stored.window)
    summary = summarise_trial(record)
    return summary, check_trial(record, summary)


log = structlog.get_logger()

UNREADABLE = Unreadable.code
"""The code of a trial whose stored data cannot be analysed. Each report tries again: a newer version may read them."""

TRIALS_AT_ONCE = 10
"""The trials of one job, of which the raw data are read with one query."""


class Found(NamedTuple):
    """By trial: its summary and checks, or why its data cannot be analysed; and the trials that are to be computed."""

    results: dict[UUID, Result | Exception]
    missing: list[Trial]


async def kept_results(session: AsyncSession, run: Run, trials: Sequence[Trial]) -> Found:
    """What is kept of the window that holds now."""
    chosen = current(await changes_of(session, run.id))
    found: dict[UUID, Result | Exception] = {}
    for trial in trials:
        if (kept := _kept(trial, chosen.of(trial.id))) is not None:
            found[trial.id] = kept
    missing = [trial for trial in trials if trial.id not in found]
    if run.raw_removed_at is not None:  # what is kept, and cannot be read, stays as it is
        return Found(found | {trial.id: Unreadable(raw_removed_words(run)) for trial in missing}, [])
    return Found(found, missing)


async def compute(session: AsyncSession, run: Run, trials: Sequence[Trial]) -> dict[UUID, Result | Exception]:
    """From the raw data, some trials at a time."""
    chosen = current(await changes_of(session, run.id))
    found: dict[UUID, Result | Exception] = {}
    for begin in range(0, len(trials), TRIALS_AT_ONCE):
        some = trials[begin : begin + TRIALS_AT_ONCE]
        hosts = hosts_of(run, some)
        data = await raw_data(session, [trial.id for trial in some])
        for trial in some:
            found[trial.id] = await _result(trial, hosts[trial.id], data, chosen)
    return found


def hosts_of(run: Run, trials: Sequence[Trial]) -> dict[UUID, list[ReportingHost] | Unreadable]:
    """By trial: those that reported, or why that cannot be read."""
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


async def _result(
    trial: Trial, hosts: list[ReportingHost] | Unreadable, data: RawData, chosen: Windows
) -> Result | Exception:
    if isinstance(hosts, Unreadable):
        return hosts
    try:
        return await asyncio.to_thread(result, StoredTrial.of(trial, hosts, data, chosen.of(trial.id)))
    except Exception as error:  # noqa: BLE001  (whatever stored data provoke is named and costs this trial alone)
        return error


def _kept(trial: Trial, window: Span | None) -> Result | None:
    """The stored result, if it is of this window; another takes milliseconds to compute."""
    of = window._asdict() if window is not None else None
    if trial.summary is None or trial.checks is None:
        return None
    if isinstance(trial.summary, dict) and trial.summary.get("window_chosen") != of:
        return None
    try:
        summary = TrialSummary.model_validate(trial.summary)
        return summary, [CheckResult.model_validate(check) for check in trial.checks]
    except ValidationError:
        log.warning("kept summary is unreadable: computing it again", trial_id=str(trial.id))
        return None
