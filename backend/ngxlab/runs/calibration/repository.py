"""SQL of calibrations."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Text, cast, exists, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from ngxlab.accounts.access import Caller
from ngxlab.experiments.models import Experiment, ExperimentVersion
from ngxlab.experiments.repository import hidden
from ngxlab.runs.calibration.models import Calibration
from ngxlab.runs.models import Run
from ngxlab.runs.states import RunState


async def keep(session: AsyncSession, values: dict[str, Any]) -> None:
    """Store what a run showed, in the place of what was computed from it before.

    The run is locked first, as by whoever ends it: two reports at once would otherwise wait for each other.
    """
    await session.execute(select(Run.id).where(Run.id == values["run_id"]).with_for_update())
    adding = insert(Calibration).values(**values)
    changes = {name: value for name, value in values.items() if name not in {"id", "run_id"}}
    await session.execute(adding.on_conflict_do_update(index_elements=[Calibration.run_id], set_=changes))


async def candidates(
    session: AsyncSession, load_key: str, template_key: str | None, measure_s: float, before: datetime
) -> Sequence[Calibration]:
    """Calibrations with this load, or with the same template and a window of the same length; newest first."""
    same = Calibration.load_key == load_key
    if template_key is not None:
        same = or_(same, (Calibration.template_key == template_key) & (Calibration.measure_s == measure_s))
    query = select(Calibration).where(same, Calibration.taken_at <= before)
    return (await session.scalars(query.order_by(Calibration.taken_at.desc()).limit(100))).all()


async def of_host(session: AsyncSession, caller: Caller, host_id: UUID) -> Sequence[Calibration]:
    """Calibrations in which the host took part, newest first, without those of teams that the caller is not in."""
    query = select(Calibration).where(
        cast(Calibration.hosts, Text).contains(str(host_id)), Calibration.experiment_id.not_in(hidden(caller))
    )
    return (await session.scalars(query.order_by(Calibration.taken_at.desc()))).all()


async def earlier_runs(session: AsyncSession, experiment_id: UUID) -> Sequence[Run]:
    """Completed runs of an experiment with a stored analysis, newest first."""
    query = select(Run).where(
        Run.experiment_id == experiment_id, Run.state == RunState.completed, Run.analysis.is_not(None)
    )
    return (await session.scalars(query.order_by(Run.finished_at.desc()).limit(20))).all()


async def same_experiment(session: AsyncSession, owner: UUID, definition: dict[str, Any]) -> UUID | None:
    """An experiment of this person whose latest version is this definition."""
    later = aliased(ExperimentVersion)
    superseded = exists().where(
        later.experiment_id == ExperimentVersion.experiment_id, later.number > ExperimentVersion.number
    )
    query = (
        select(Experiment.id)
        .join(ExperimentVersion, ExperimentVersion.experiment_id == Experiment.id)
        .where(Experiment.created_by == owner, Experiment.archived_at.is_(None), ~superseded)
        .where(ExperimentVersion.definition == definition)
    )
    return await session.scalar(query.order_by(Experiment.created_at).limit(1))
