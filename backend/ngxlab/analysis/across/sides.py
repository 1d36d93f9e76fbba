"""The arms of runs as they enter a comparison across runs."""

from dataclasses import dataclass
from typing import NamedTuple

from ngxlab.analysis.schemas import ArmAnalysis, CheckSummary
from ngxlab.analysis.verdict.usable_trials import TrialsByBlock


@dataclass(frozen=True)
class Side:
    """An arm of a run, with the usable trials and the checks of that run. ``arm.key`` is unique across the runs.

    ``name``: what its own run calls it.
    """

    run: str
    name: str
    arm: ArmAnalysis
    trials: TrialsByBlock
    checks: CheckSummary

    @property
    def key(self) -> str:
        return self.arm.key


class Against(NamedTuple):
    """An arm, and the one that it is compared with: the baseline of this comparison."""

    own: Side
    base: Side

    @property
    def paired(self) -> bool:
        """Within one run trials are compared block by block, as its report does."""
        return self.own.run == self.base.run
