"""Turn a definition into trials: randomised complete blocks drawn with a stored seed."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.definition.schema.definition import Definition
from ngxlab.runs.choosing import arms_left, is_choosing
from ngxlab.runs.models import PROFILE_BLOCK, Run, Trial
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


def add_trials(session: AsyncSession, run: Run, definition: Definition, *, first_block: int = 1) -> None:
    """Add what follows: the trials of the next heat while arms are chosen, else those of blocks ``first_block`` to
    ``run.blocks``. More blocks continue the same sequence."""
    arms, chosen = arms_left(run, definition), definition.plan.selection
    number = len(run.selection) + 1 if is_choosing(run, definition) else None
    if number is not None and chosen is not None:
        planned = randomised_blocks(arms, chosen.heat_blocks, run.seed + (number << _SEED_BITS))
    else:
        planned = randomised_blocks(arms, run.blocks, run.seed)
    before = _trials_of_heats(run)
    for one in planned:
        if number is not None or one.block >= first_block:
            place = one._replace(position=before + one.position)
            session.add(Trial(run_id=run.id, **place._asdict(), heat=number, state=TrialState.pending))


_SEED_BITS = 53
"""Of a run's seed: each heat has a sequence of its own."""


def _trials_of_heats(run: Run) -> int:
    """How many trials the heats had that are over."""
    return sum(len(arm["values"]) for one in run.selection for arm in one["arms"])


FIRST_PROFILE = 1_000_000
"""The position of a run's first profile, behind those of all blocks that may be added to it."""


def add_profiles(session: AsyncSession, run: Run, definition: Definition, trials: Sequence[Trial], each: int) -> int:
    """Add pending profiles until each arm has so many in all that have not failed; how many were added.

    ``trials``: the latest attempts of all. The order of the arms is random, as within blocks.
    """
    profiles = [trial for trial in trials if trial.is_profile]
    had = Counter(trial.arm for trial in profiles if TrialState(trial.state) not in _GIVEN_UP)
    position = max((trial.position + 1 for trial in profiles), default=FIRST_PROFILE)
    order = randomised_blocks(arms_left(run, definition), each, run.seed + position)
    wanted = [planned.arm for planned in order if planned.block > had[planned.arm]]
    for place, arm in enumerate(wanted, position):
        session.add(Trial(run_id=run.id, position=place, block=PROFILE_BLOCK, arm=arm, state=TrialState.pending))
    return len(wanted)


_GIVEN_UP = frozenset({TrialState.failed, TrialState.skipped, TrialState.cancelled})


def next_attempt(trial: Trial) -> Trial:
    """The same again, pending."""
    again = Trial(run_id=trial.run_id, position=trial.position, block=trial.block, heat=trial.heat, arm=trial.arm)
    again.attempt, again.state = trial.attempt + 1, TrialState.pending
    return again
