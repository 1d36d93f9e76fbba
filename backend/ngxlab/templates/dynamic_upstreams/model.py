"""The article's rule for when workers must block each other.

"Blocking is certain once an update takes longer than ``dyups_read_msg_timeout`` divided by the number of workers":
every worker applies every change, only one at a time, and each looks for changes once in that interval.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.chart_data import Mark
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.form import numbers
from ngxlab.templates.saying import said


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


def thresholds(evidence: Evidence) -> list[Mark]:
    """The threshold by the article's rule, for each number of workers and of nodes in all among the arms."""
    if evidence.parameters.get("through") != "lua":
        return []
    models = [LockModel.of(evidence.parameters, evidence.variables(arm)) for arm in evidence.arms]
    by_nodes = {round(model.threshold_nodes): model for model in models if model.threshold_nodes is not None}
    return [
        Mark(
            axis="x",
            at=nodes,
            label=f"predicted threshold with {model.workers:g} workers",
            help=f"An update of {nodes} nodes holds the simulated lock for {model.threshold_ms:g} ms: the read "
            "interval divided by the workers.",
            simulated=True,
        )
        for nodes, model in by_nodes.items()
    ]


def against_threshold(evidence: Evidence, arm: ArmAnalysis) -> str | None:
    if evidence.parameters.get("through") != "lua":
        return None
    model = LockModel.of(evidence.parameters, evidence.variables(arm))
    side = "beyond" if model.is_beyond else "within"
    return f"{said(model.update_ms, 'ms')}, {side} {said(model.threshold_ms, 'ms')} (simulated)"
