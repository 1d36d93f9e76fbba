"""Turn a definition into trials: randomised complete blocks drawn with a stored seed."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.definition.schema.definition import Definition
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.states import TrialState


class PlannedTrial(NamedTuple):
    position: int
    block: int
    arm: str


def randomised_blocks(arms: Sequence[str], blocks: int, seed: int) -> list[PlannedTrial]:
    """Every block (numbered from 1) runs each arm once, in an order that depends only on the seed.

    As many blocks as there are arms form a random Latin square: each arm is once in each position, so that what changes
    with the position within a block, such as a host that warms up, is no difference between arms. More blocks continue
    with the next square.
    """
    generator = random.Random(seed)  # noqa: S311 (an order of trials, no secret)
    orders: list[list[str]] = []
    while len(orders) < blocks:
        orders += _latin_square(arms, generator)
    ordered = [(block, arm) for block, order in enumerate(orders[:blocks], start=1) for arm in order]
    return [PlannedTrial(position, block, arm) for position, (block, arm) in enumerate(ordered)]


def _latin_square(arms: Sequence[str], generator: random.Random) -> list[list[str]]:
    """Rows, columns and arms of the cyclic square, each in random order."""
    size = len(arms)
    rows, columns, symbols = (generator.sample(range(size), size) for _ in range(3))
    return [[arms[symbols[(row + column) % size]] for column in columns] for row in rows]


def add_trials(session: AsyncSession, run: Run, definition: Definition, *, first_block: int) -> None:
    """Add the pending trials of blocks ``first_block`` to ``run.blocks``. More blocks continue the same sequence."""
    for planned in randomised_blocks([arm.key for arm in definition.arms], run.blocks, run.seed):
        if planned.block >= first_block:
            session.add(Trial(run_id=run.id, **planned._asdict(), state=TrialState.pending))


def next_attempt(trial: Trial) -> Trial:
    """The same again, pending."""
    again = Trial(run_id=trial.run_id, position=trial.position, block=trial.block, arm=trial.arm)
    again.attempt, again.state = trial.attempt + 1, TrialState.pending
    return again
