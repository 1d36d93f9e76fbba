"""SQL of trends."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import false, func, select, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.experiments.models import ExperimentVersion
from ngxlab.hosts.models import Host
from ngxlab.notes.models import Note
from ngxlab.runs.list_repository import BRANCH
from ngxlab.runs.models import Run, RunHost
from ngxlab.runs.states import RunState

MOST_RUNS = 200
"""How many of an experiment's runs are read, the latest."""
_FINAL = [state for state in RunState if state.final]
_NOTES = select(func.count(Note.id)).where(Note.run_id == Run.id).correlate(Run).scalar_subquery()


class StoredRun(NamedTuple):
    """``points``: as a finished run keeps them. ``hosts``: of each slot its ``slot``, ``host`` and ``kernel``.

    ``total``: how many finished runs the experiment has.
    """

    id: UUID
    number: int
    state: str
    state_reason: str | None
    version: int
    at: datetime
    note: str | None
    revision: Any
    notes: int
    is_analysed: bool
    points: Any
    hosts: Any
    total: int


async def branches(session: AsyncSession, experiment_id: UUID) -> list[str]:
    """Of which its runs are, in alphabetical order."""
    query = select(BRANCH).where(Run.experiment_id == experiment_id, BRANCH.is_not(None)).distinct()
    return sorted(str(one) for one in await session.scalars(query))


async def latest_runs(
    session: AsyncSession, experiment_id: UUID, most: int, branch: str | None = None
) -> Sequence[StoredRun]:
    """The experiment's latest finished runs, the oldest first, in one query; those of one branch, if one is named."""
    kernel = func.jsonb_extract_path_text(RunHost.inventory, "kernel")
    host = func.jsonb_build_object("slot", RunHost.slot, "host", Host.name, "kernel", kernel)
    hosts = (
        select(func.jsonb_agg(host, type_=JSONB))
        .select_from(RunHost)
        .join(Host, Host.id == RunHost.host_id)
        .where(RunHost.run_id == Run.id)
        .correlate(Run)
        .scalar_subquery()
    )
    at = func.coalesce(Run.started_at, Run.created_at)
    columns = (
        Run.id,
        Run.number,
        Run.state,
        Run.state_reason,
        ExperimentVersion.number,
        at,
        Run.note,
        Run.revision,
        _NOTES,
        func.coalesce(func.jsonb_exists(Run.analysis, "headline"), false()),
        func.jsonb_extract_path(Run.analysis, "points", type_=JSONB),
        hosts,
        func.count().over(),
    )
    found = (
        select(*columns)
        .join(ExperimentVersion, ExperimentVersion.id == Run.experiment_version_id)
        .where(
            Run.experiment_id == experiment_id,
            Run.state.in_(_FINAL),
            true() if branch is None else BRANCH.in_([branch]),
        )
        .order_by(at.desc(), Run.number.desc())
        .limit(most)
    )
    return [StoredRun(*row) for row in reversed((await session.execute(found)).all())]
