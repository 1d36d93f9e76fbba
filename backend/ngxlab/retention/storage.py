"""What runs take in the database: measured once a run is over, so that no list has to count rows."""

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.database import Database
from ngxlab.metrics.repository import bytes_of_database, bytes_of_tables, bytes_of_trial
from ngxlab.retention import repository
from ngxlab.retention.schemas import LargeRun, StorageUse
from ngxlab.shares.repository import bytes_of_copies

_LARGEST = 20


async def measure_next(database: Database) -> bool:
    """Measure one run, each trial in a transaction of its own; whether there was one."""
    async with database.transaction() as session:
        found = await repository.unmeasured(session)
        trials = await repository.trial_ids(session, found[0]) if found is not None else []
    if found is None:
        return False
    total = 0
    for trial_id in trials:
        async with database.transaction() as session:
            total += await bytes_of_trial(session, trial_id)
    async with database.transaction() as session:
        await repository.keep_size(session, *found, total)
    return True


async def overview(session: AsyncSession, keep_raw_days: int | None) -> StorageUse:
    return StorageUse(
        database_bytes=await bytes_of_database(session),
        raw_bytes=await bytes_of_tables(session),
        shared_bytes=await bytes_of_copies(session),
        trials_to_remove=await repository.count_discarded(session),
        runs_to_measure=await repository.count_unmeasured(session),
        keep_raw_days=keep_raw_days,
        largest=[
            LargeRun(
                id=run.id,
                experiment_name=run.version.experiment.name,
                number=run.number,
                created_by=run.author.email,
                finished_at=run.finished_at,
                starred=run.starred,
                raw_bytes=run.raw_bytes or 0,
            )
            for run in await repository.largest(session, _LARGEST)
        ],
    )
