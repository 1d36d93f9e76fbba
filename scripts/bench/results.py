"""Results of benchmarks: measured values with their budgets."""

from dataclasses import dataclass, field
from typing import Any, Literal

from scripts.bench import quiet


class NotMeasuredError(Exception):
    """A benchmark gave no value; the message says why."""


@dataclass(frozen=True)
class Budget:
    """A limit that a value must not cross."""

    sense: Literal["at least", "at most"]
    limit: float

    def met_by(self, value: float) -> bool:
        return value >= self.limit if self.sense == "at least" else value <= self.limit


@dataclass(frozen=True)
class Measurement:
    """One value. ``what``: in one line what is measured; ``definition``: how; ``detail``: evidence as JSON values."""

    name: str
    what: str
    value: float
    unit: str
    budget: Budget
    definition: str
    detail: dict[str, Any] = field(default_factory=dict)
    interval_95: tuple[float, float] | None = None

    @property
    def met(self) -> bool:
        """Whether the value itself is within the budget."""
        return self.budget.met_by(self.value)

    @property
    def resolved(self) -> bool:
        """Whether the whole interval, where there is one, lies on the same side of the budget."""
        return self.interval_95 is None or len({self.budget.met_by(end) for end in self.interval_95}) == 1


@dataclass(frozen=True)
class Occasion:
    """When a benchmark was run, and on what. ``busy``: the share of the CPUs' time used by others just before it."""

    benchmark: str
    date: str
    commit: str
    busy: float
    quick: bool


@dataclass(frozen=True)
class Taken:
    """A value, and the occasion on which it was measured."""

    measure: Measurement
    occasion: Occasion

    @property
    def resolved(self) -> bool:
        """Whether it can be told from the noise: of its own, and of others on the machine."""
        return self.measure.resolved and self.occasion.busy <= quiet.LIMIT


@dataclass(frozen=True)
class Skipped:
    """A benchmark without a value, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Report:
    """A run of the benchmarks. ``machine``: facts about this machine from the agent's inventory."""

    machine: dict[str, Any]
    taken: list[Taken]
    not_measured: list[Skipped]

    def renewed_by(self, other: "Report") -> "Report":
        """With the other's values in place of this one's for each benchmark that the other has run, in its order."""
        run = {one.occasion.benchmark for one in other.taken} | {skipped.name for skipped in other.not_measured}
        kept = [one for one in self.taken if one.occasion.benchmark not in run]
        silent = [skipped for skipped in self.not_measured if skipped.name not in run]
        return Report(other.machine, [*kept, *other.taken], [*silent, *other.not_measured])
