"""The time that a run spends between two trials."""

from itertools import pairwise
from statistics import median

from scripts.bench.lab import Lab
from scripts.bench.results import Budget, Measurement, NotMeasuredError
from scripts.bench.stored import loads
from scripts.bench.viewer import follow

DEFINITION = (
    "A run of one-second trials without warm-up and cool-down. Dead time: from the end of one trial's measured "
    "window to the start of the next one's load, both as the agent reported them (phase events, host's clock); "
    "the median over the pairs of successive trials. It contains ending wrk and nginx, the hand-over through backend, "
    "coordinator and broker, and a fresh folder, nginx and wrk."
)
TRIALS = 20
QUICK_TRIALS = 8


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """The median, in seconds."""
    experiment = await lab.one_arm_experiment(blocks=QUICK_TRIALS if quick else TRIALS, warmup_s=0, measure_s=1)
    run_id = await lab.start_run(experiment)
    await follow(lab, run_id)
    async with lab.database() as connection:
        trials = await loads(connection, run_id)
    gaps = [(after.began_us - before.measured_until_us) / 1e6 for before, after in pairwise(trials)]
    if not gaps:
        raise NotMeasuredError("a run of a single trial has no dead time between trials")
    return [
        Measurement(
            name="dead-time",
            what="dead time per trial, beyond its phases",
            value=median(gaps),
            unit="s",
            budget=Budget("at most", 0.3),
            definition=DEFINITION,
            detail={"pairs": len(gaps), "least": min(gaps), "most": max(gaps)},
        )
    ]
