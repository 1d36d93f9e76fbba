"""The times of trials as stored in the database."""

from typing import NamedTuple

from scripts.bench.lab import Connection
from scripts.bench.results import NotMeasuredError

_PHASES = """
    SELECT trial.id::text AS trial_id, trial_event.event ->> 'phase' AS phase, trial_event.t_us
    FROM trial JOIN trial_event ON trial_event.trial_id = trial.id
    WHERE trial.run_id = $1 AND trial.state = 'completed' AND trial_event.event ->> 'kind' = 'phase'
    ORDER BY trial.position, trial_event.t_us
"""


class Load(NamedTuple):
    """When a trial's load began and its measured window began and ended; microseconds on the host's clock."""

    trial_id: str
    began_us: int
    measured_from_us: int
    measured_until_us: int


async def loads(connection: Connection, run_id: str) -> list[Load]:
    """The completed trials of a run in the order of their execution."""
    phases: dict[str, dict[str, int]] = {}
    for row in await connection.fetch(_PHASES, run_id):
        phases.setdefault(row["trial_id"], {})[row["phase"]] = row["t_us"]
    if not phases:
        raise NotMeasuredError("the run has no completed trial")
    return [Load(trial, at["warmup"], at["measure"], at["cooldown"]) for trial, at in phases.items()]
