"""How often the claims of simulated experiments were true."""

from collections.abc import Sequence
from dataclasses import dataclass

from ngxlab_verdict import Claim, judge

from scripts.simulations.scenario import Scenario

_MARGIN = 0.02


@dataclass
class Outcome:
    """Counts over ``experiments``.

    ``false``: with at least one false primary claim. ``covered``: whose intervals of the first metric are all right.
    ``found``, ``sought``: claims of the right direction, of all true effects on the first metric. ``plain``,
    ``exploratory``: right intervals of exploratory claims, and all of them.
    """

    experiments: int = 0
    false: int = 0
    covered: int = 0
    found: int = 0
    sought: int = 0
    plain: int = 0
    exploratory: int = 0

    def add(self, claims: Sequence[Claim], scenario: Scenario) -> None:
        judged = [(claim, scenario.truth(claim.arm, claim.metric)) for claim in claims]
        primary = [pair for pair in judged if pair[0].family == "primary"]
        first = [pair for pair in primary if pair[0].metric == "m0"]
        self.experiments += 1
        self.false += any(is_false(*pair) for pair in primary)
        self.covered += all(covers(*pair) for pair in first)
        self.sought += sum(true != 1 for _, true in first)
        self.found += sum(is_found(*pair) for pair in first)
        intervals = [pair for pair in judged if pair[0].family == "exploratory" and pair[0].low is not None]
        self.exploratory += len(intervals)
        self.plain += sum(covers(*pair) for pair in intervals)


def simulate(scenario: Scenario, count: int) -> Outcome:
    outcome = Outcome()
    for experiment in scenario.experiments(count):
        outcome.add(judge(experiment, scenario.question), scenario)
    return outcome


def is_false(claim: Claim, true: float) -> bool:
    """A difference is claimed that does not exist, or the wrong way round, or an equivalence that is none."""
    if claim.verdict == "equivalent":
        return _matters(true)
    return (claim.verdict == "better" and true <= 1) or (claim.verdict == "worse" and true >= 1)


def _matters(true: float) -> bool:
    return not 1 / (1 + _MARGIN) < true < 1 + _MARGIN


def is_found(claim: Claim, true: float) -> bool:
    return claim.verdict == ("better" if true > 1 else "worse") and true != 1


def covers(claim: Claim, true: float) -> bool:
    return claim.low is None or claim.high is None or claim.low <= true <= claim.high
