"""Results of benchmarks: measured values with their budgets."""

from dataclasses import dataclass, field
from typing import Any, Literal


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
class Skipped:
    """A benchmark without a value, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Report:
    """A run of the benchmarks. ``machine``: facts about this machine from the agent's inventory."""

    date: str
    commit: str
    quick: bool
    machine: dict[str, Any]
    measures: list[Measurement]
    not_measured: list[Skipped]
