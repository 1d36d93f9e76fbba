"""The batches of telemetry that agents report: stored once, in order, and passed on to viewers."""

from typing import NamedTuple
from uuid import UUID

from ngxlab_contracts.telemetry import Batch
from ngxlab_contracts.trials import BatchAck, TrialControl
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database, after_commit, database_of
from ngxlab.core.errors import Conflict
from ngxlab.hosts.models import Host
from ngxlab.live.messages import live_batch_json
from ngxlab.metrics import storing
from ngxlab.runs.announce import announce
from ngxlab.runs.models import Trial
from ngxlab.runs.states import TrialState
from ngxlab.runs.trial_progress import advance
from ngxlab.runs.watch import returned_trials
from ngxlab.runs.watch.live_checks import check_while_measured
from ngxlab.worker_api import batch_checks
from ngxlab.worker_api.claims import locked_trial_host
from ngxlab.worker_api.control import control_of
from ngxlab.worker_api.usual_batches import ReceivedBatch, Share, share_of


class Accepted(NamedTuple):
    """The answer, and what further batches of the host must fit, where its trial goes on."""

    ack: BatchAck
    share: Share | None = None


async def accept(session: AsyncSession, host: Host, trial_id: UUID, received: ReceivedBatch) -> Accepted:
    """Store a batch once. A repeated one is acknowledged again, a gap is a Conflict that names what is missing.

    Raises Invalid for what could not be read back.
    """
    batch = received.batch
    run, trial, trial_host = await locked_trial_host(session, host, trial_id)
    trial_host.last_batch_at = utcnow()
    if trial.state == TrialState.lost and not await returned_trials.reinstate(session, run, trial, trial_host):
        await returned_trials.note_discarded(session, trial)
        return Accepted(BatchAck(acked_seq=batch.seq, control=TrialControl(command="discard")))
    if batch.seq <= trial_host.acked_seq:
        return Accepted(BatchAck(acked_seq=trial_host.acked_seq, control=control_of(run, trial, trial_host)))
    if batch.seq != trial_host.acked_seq + 1:
        raise Conflict(f"Batch {trial_host.acked_seq + 1} is missing before {batch.seq}.", code="batch-gap")
    widths = await batch_checks.require_sound(session, trial_host, batch)
    live_seq = await announce(session, run.id, "batch", _for_viewers(trial_id, host.id, received))
    await storing.store(session, trial_id, host.id, live_seq, batch)
    trial_host.acked_seq, trial_host.clock_offset_us = batch.seq, batch.clock_offset_us
    await advance(session, trial, trial_host, batch.events)
    after_commit(session, lambda: _follow(database_of(session), trial, batch))
    ack = BatchAck(acked_seq=batch.seq, control=control_of(run, trial, trial_host))
    return Accepted(ack, share_of(trial, trial_host, widths))


async def _follow(database: Database, trial: Trial, batch: Batch) -> None:
    storing.count(batch)
    check_while_measured(database, trial.run_id, trial.id, trial.state)


def _for_viewers(trial_id: UUID, host_id: UUID, received: ReceivedBatch) -> str:
    """A batch for live views: as it was received, without the texts of kept files, which no live view shows."""
    batch, text = received
    events = [event for event in batch.events if event.kind != "artefact"]
    if len(events) < len(batch.events):
        text = batch.model_copy(update={"events": events}).model_dump_json().encode()
    return live_batch_json(trial_id, host_id, text)
