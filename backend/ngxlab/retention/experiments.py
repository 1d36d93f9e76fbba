"""Delete experiments with everything that was measured for them."""

from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.core.errors import Conflict
from ngxlab.experiments import service as experiments
from ngxlab.retention import repository, service


class DeletedExperiment(NamedTuple):
    """What it was. ``links``: how many that worked have ended with it."""

    id: UUID
    name: str
    runs: int
    links: int
    raw_bytes: int


async def delete(session: AsyncSession, caller: Caller, experiment_id: UUID, *, end_links: bool) -> DeletedExperiment:
    """For good: its versions, schedules and links, and its runs with all that was measured in them.

    Raises Conflict while one of its runs goes on, while a calibration of hosts is from it, and, unless ``end_links``,
    while links show something of it; Forbidden where a run of it is somebody else's.
    """
    experiment = await experiments.get(session, experiment_id)
    require_owner(caller, experiment.created_by, "experiment")
    if await repository.calibrates(session, experiment_id):
        detail = "A calibration of hosts came of it, which other runs go by. Archive it instead."
        raise Conflict(detail, code="experiment-calibrates")
    runs = await repository.lock_runs(session, experiment_id)
    # After its runs: whoever changes a run locks the run first.
    if await repository.lock_experiment(session, experiment_id) != len(runs):
        raise Conflict("A run of it has just been started or deleted. Look again.", code="runs-changed")
    for run in runs:
        require_owner(caller, run.created_by, f"experiment's run {run.number}")
        await service.require_over(session, run)
    links = await repository.count_links(session, experiment_id)
    if links and not end_links:
        detail = "Links show something of it. Revoke them first, or confirm that they end with the experiment."
        raise Conflict(detail, code="experiment-shared")
    for run in runs:
        await repository.delete_run(session, run)
    await repository.delete_experiment(session, experiment_id)
    raw_bytes = sum(run.raw_bytes or 0 for run in runs)
    return DeletedExperiment(experiment_id, experiment.name, len(runs), links, raw_bytes)
