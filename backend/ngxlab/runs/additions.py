"""More blocks for a run that is over: it goes on with the blocks that would have followed (docs/method.md, Looks)."""

from uuid import UUID

from ngxlab_contracts.hosts import Inventory
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller
from ngxlab.core.errors import Conflict
from ngxlab.core.rehearsal import require_real
from ngxlab.core.stored_json import read
from ngxlab.definition.schema.definition import TARGET_SLOT
from ngxlab.hosts.models import inventory_of
from ngxlab.hosts.service import require_may_use
from ngxlab.runs import planning
from ngxlab.runs.calibration.service import change, facts
from ngxlab.runs.models import Run, RunHost, definition_of, require_raw_data
from ngxlab.runs.preflight import refusal
from ngxlab.runs.preflight.assignment import Assigned
from ngxlab.runs.queue import waiting
from ngxlab.runs.service import own_locked
from ngxlab.runs.states import WAITING, RunState
from ngxlab.runs.transitions import move_run


async def add_blocks(session: AsyncSession, caller: Caller, run_id: UUID, blocks: int) -> bool:
    """Queue a completed run again, until it has ``blocks`` in all. Whether it was not asked for already.

    Raises Conflict with the reason where the run cannot go on as it was: it has not completed, it has as many blocks,
    its raw data was removed, a host is gone, has changed since, or cannot run it now.
    """
    await require_real(session)
    run = await own_locked(session, caller, run_id)
    if not RunState(run.state).final and run.added_to[-1:] == [blocks]:
        return False
    _refuse_what_cannot_go_on(run, blocks)
    definition = definition_of(run)
    for entry in run.hosts:
        await require_may_use(session, caller, entry.host)
    refusal.refuse_if_impossible(definition, [_as_it_was(run, entry) for entry in run.hosts])
    if run.added_to[-1:] != [blocks]:
        run.added_to = [*run.added_to, blocks]
    first, run.blocks = run.blocks + 1, blocks
    run.cancel_requested_at, run.finish_requested_at = None, None
    planning.add_trials(session, run, definition, first_block=first)
    await move_run(session, run, RunState.queued, reason=WAITING)
    await waiting.offer(session, run)
    return True


def _refuse_what_cannot_go_on(run: Run, blocks: int) -> None:
    if run.state != RunState.completed:
        hint = " Retry it first." if run.state == RunState.failed else ""
        raise Conflict(f"The run is {run.state}. Blocks are added to a completed run.{hint}", code=f"run-{run.state}")
    if blocks <= run.blocks:
        raise Conflict(f"The run has {run.blocks} blocks already. Ask for more in all.", code="no-more-blocks")
    if run.imported is not None:
        raise Conflict("The run was imported: its hosts are elsewhere. Start a new run instead.", code="run-imported")
    if run.version.experiment.archived_at is not None:
        raise Conflict("This experiment is archived. Restore it first.", code="archived")
    require_raw_data(run)  # its trials of before and after would be read as one run


def _as_it_was(run: Run, entry: RunHost) -> Assigned:
    """The host as it is now. Raises Conflict if it is another machine, as it were, than the one that ran the rest."""
    host = entry.host
    if host.removed_at is not None:
        raise Conflict(f"{host.name} was removed. Start a new run on another host.", code="host-removed")
    before, now = read(Inventory, entry.inventory, f"The inventory of {host.name} in this run"), inventory_of(host)
    leading = before.nginx[0].path if before.nginx else None
    builds = run.builds if entry.slot == TARGET_SLOT else {}
    for path in {leading, *builds.values()}:
        if (what := change(facts(before, path), facts(now, path))) is not None:
            detail = f"{what} on {host.name} since: more blocks would not measure the same. Start a new run."
            raise Conflict(f"{detail[0].upper()}{detail[1:]}", code="host-changed")
    nginx = sorted(now.nginx, key=lambda binary: binary.path != leading)
    return Assigned(entry.slot, host, now.model_copy(update={"nginx": nginx}), entry.address, builds)
