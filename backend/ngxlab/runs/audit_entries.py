"""What the audit log keeps about runs."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.runs.schemas import RunDetail, RunSummary


def run_object(run: RunSummary) -> Object:
    return Object("run", run.id, f"{run.experiment_name}, run {run.number}")


async def recorded(session: AsyncSession, caller: Caller, act: Act, run: RunDetail, **detail: Any) -> RunDetail:
    """Enter what was done to a run, with the hosts that it uses. Returns the run."""
    await record(session, caller.actor, act, run_object(run), hosts=run.hosts, **detail)
    return run
