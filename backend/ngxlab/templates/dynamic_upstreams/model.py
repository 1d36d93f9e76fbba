"""The article's rule for when workers must block each other.

"Blocking is certain once an update takes longer than ``dyups_read_msg_timeout`` divided by the number of workers":
every worker applies every change, only one at a time, and each looks for changes once in that interval.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.form import numbers


@dataclass(frozen=True)
class LockModel:
    """One arm's numbers. ``lock_us``: per changed node; ``lock_check_us``: in addition per 1000 nodes in all."""

    changed_nodes: float
    total_nodes: float
    workers: float
    read_interval_ms: float
    lock_us: float
    lock_check_us: float

    @classmethod
    def of(cls, parameters: Mapping[str, LevelValue], variables: Mapping[str, LevelValue]) -> "LockModel":
        """Values of factors come from the arm's ``variables``, the others from the form."""

        def number(name: str) -> float:
            value = variables.get(name)
            return float(numbers(parameters[name])[0] if value is None else value)

        return cls(**{name: number(name) for name in cls.__dataclass_fields__})

    @property
    def lock_us_per_node(self) -> float:
        return self.lock_us + self.lock_check_us * self.total_nodes / 1000

    @property
    def update_ms(self) -> float:
        """How long one worker holds the lock when it applies one change."""
        return self.changed_nodes * self.lock_us_per_node / 1000

    @property
    def threshold_ms(self) -> float:
        """With longer updates the workers must block each other."""
        return self.read_interval_ms / self.workers

    @property
    def threshold_nodes(self) -> float | None:
        """The number of changed nodes whose update takes exactly that long; ``None`` if updates cost nothing."""
        return 1000 * self.threshold_ms / self.lock_us_per_node if self.lock_us_per_node > 0 else None

    @property
    def is_beyond(self) -> bool:
        return self.update_ms > self.threshold_ms
