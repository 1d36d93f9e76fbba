"""DELETE /runs/ID and /experiments/ID, the star of a run, and what runs take."""

from uuid import UUID

from fastapi import APIRouter, Request, status

from ngxlab.accounts.access import Administrator, AdministratorInPersonConfirmed, Experimenter
from ngxlab.audit.acts import Act
from ngxlab.audit.record import INSTALLATION, Object, record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.config import Settings
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import existing
from ngxlab.core.rehearsal import become_real
from ngxlab.retention import service
from ngxlab.retention.schemas import StorageUse
from ngxlab.runs.service import run_object

router = APIRouter(route_class=GuardedRoute, tags=["runs"])


@router.delete("/runs/{run_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def delete_run(
    run_id: UUID,
    session: SessionDep,
    caller: Experimenter,
    end_links: bool = False,  # noqa: FBT001, FBT002 (a query parameter)
) -> None:
    """Delete one of your own runs that is over, with everything measured in it, for good."""
    await service.delete(session, caller, run_id, end_links=end_links)


@router.delete("/experiments/{experiment_id:uuid}", status_code=status.HTTP_204_NO_CONTENT, tags=["experiments"])
async def delete_experiment(
    experiment_id: UUID,
    session: SessionDep,
    caller: Experimenter,
    end_links: bool = False,  # noqa: FBT001, FBT002 (a query parameter)
) -> None:
    """Delete one of your own experiments with its runs, all of which are over, for good."""
    deleted = await service.delete_experiment(session, caller, experiment_id, end_links=end_links)
    await record(
        session, caller.actor, Act.experiment_deleted, Object("experiment", deleted.id, deleted.name),
        runs=deleted.runs, raw_bytes=deleted.raw_bytes, links_ended=deleted.links or None,
    )  # fmt: skip


@router.put("/runs/{run_id:uuid}/star", status_code=status.HTTP_204_NO_CONTENT)
async def star_run(run_id: UUID, session: SessionDep, caller: Experimenter) -> None:
    """Mark a run as worth keeping, for everybody to see."""
    if (run := await service.star(session, run_id, starred=True)) is not None:
        await record(session, caller.actor, Act.run_starred, run_object(run))


@router.delete("/runs/{run_id:uuid}/star", status_code=status.HTTP_204_NO_CONTENT)
async def unstar_run(run_id: UUID, session: SessionDep, caller: Experimenter) -> None:
    """Take the mark of a run away."""
    if (run := await service.star(session, run_id, starred=False)) is not None:
        await record(session, caller.actor, Act.run_unstarred, run_object(run))


@router.delete("/rehearsal", status_code=status.HTTP_204_NO_CONTENT)
async def end_rehearsal(session: SessionDep, caller: AdministratorInPersonConfirmed) -> None:
    """Say that this server, which holds a restored backup, is the real installation: its schedules, notifications and
    runs go on. See ``rehearsal_of`` in the answer of /readyz."""
    backup_of = existing(await become_real(session), "rehearsal")
    await record(session, caller.actor, Act.rehearsal_ended, INSTALLATION, backup_of=backup_of.isoformat())


@router.get("/storage")
async def get_storage(request: Request, session: SessionDep, _: Administrator) -> StorageUse:
    """What the database takes on its disk, and which runs take most of it."""
    settings: Settings = request.app.state.settings
    return await service.overview(session, settings.keep_raw_days)
