"""Add blocks until the interval of the chosen metric is narrow enough, or the plan's maximum is reached."""

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.verdict.precision import precise_enough
from ngxlab.definition.schema.plan import UntilPrecise
from ngxlab.runs import planning
from ngxlab.runs.announce import announce
from ngxlab.runs.models import Run
from ngxlab.runs.readable import definition_of
from ngxlab.runs.results.analysis import analyse
from ngxlab.runs.results.jobs import kept, settled


async def add_block_if_wanted(session: AsyncSession, run: Run) -> bool:
    """Whether another block was planned, or it cannot be said yet: a trial may still be computed, and its end is
    announced. Call it under the run's lock, when every planned trial is done."""
    definition = definition_of(run)
    rule = definition.plan.stop
    if not isinstance(rule, UntilPrecise) or run.blocks >= rule.max_blocks:
        return False
    if not await settled(session, run):
        return True
    results = await analyse(session, run, kept)
    enough, _ = precise_enough(results.analysis, rule.metric, rule.half_width_percent)
    if enough:
        return False
    run.blocks += 1
    planning.add_trials(session, run, definition, first_block=run.blocks)
    await session.flush()
    await announce(session, run.id)
    return True
