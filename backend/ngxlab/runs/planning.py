"""Turn a definition into trials: randomised complete blocks drawn with a stored seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.definition.schema.definition import Definition
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.states import TrialState


@dataclass(frozen=True)
class PlannedTrial:
    position: int
    block: int
    arm: str


def randomised_blocks(arms: Sequence[str], blocks: int, seed: int) -> list[PlannedTrial]:
    """Every block (numbered from 1) runs each arm once, in an order that depends only on the seed."""
    generator = random.Random(seed)  # noqa: S311 (an order of trials, no secret)
    plan: list[PlannedTrial] = []
    for block in range(1, blocks + 1):
        order = list(arms)
        generator.shuffle(order)
        plan += [PlannedTrial(position=len(plan) + i, block=block, arm=arm) for i, arm in enumerate(order)]
    return plan


def add_trials(session: AsyncSession, run: Run, definition: Definition, *, first_block: int) -> None:
    """Add the pending trials of blocks ``first_block`` to ``run.blocks``. More blocks continue the same sequence."""
    for planned in randomised_blocks([arm.key for arm in definition.arms], run.blocks, run.seed):
        if planned.block >= first_block:
            session.add(
                Trial(
                    run_id=run.id,
                    position=planned.position,
                    block=planned.block,
                    arm=planned.arm,
                    state=TrialState.pending,
                )
            )
