"""Parameters that may have several values: such a parameter becomes a factor, and its values a variable."""

from collections.abc import Mapping
from dataclasses import dataclass

from ngxlab.definition.schema.factors import Factor, Level, LevelValue
from ngxlab.templates.form import numbers

HEALTH_CHECKS = "health_checks"
CHECK_ARGUMENTS = "interval=3000 rise=2 fall=5 timeout=1000 type=tcp"
_CHECKS = {"all": "all upstreams checked", "others": "all but the changing one checked", "none": "no health checks"}


@dataclass(frozen=True)
class Swept:
    """A parameter, which is also the variable. ``unit`` follows the number in a level's label, ``one`` a 1."""

    name: str
    title: str
    unit: str
    one: str | None = None

    @property
    def factor(self) -> str:
        return self.name.replace("_", "-")

    def label(self, number: float) -> str:
        return f"{number:g} {self.one if self.one and number == 1 else self.unit}"


CHANGED_NODES = Swept("changed_nodes", "Changed nodes", "changed nodes", "changed node")
SWEPT = (
    CHANGED_NODES,
    Swept("total_nodes", "Nodes in all", "nodes in all"),
    Swept("churn_interval_s", "Time between changes", "s between changes"),
    Swept("churn_s", "Duration of the churn", "s of churn"),
    Swept("workers", "Workers", "workers", "worker"),
)


def factors_of(values: Mapping[str, LevelValue]) -> list[Factor]:
    """A factor for each parameter that has several values, in a fixed order."""
    factors = [_factor(swept, listed) for swept in SWEPT if len(listed := numbers(values[swept.name])) > 1]
    if values[HEALTH_CHECKS] == "compare":
        factors.append(Factor(key=HEALTH_CHECKS, label="Health checks", levels=[_check_level(key) for key in _CHECKS]))
    return factors


def term(values: Mapping[str, LevelValue], name: str) -> str:
    """In an expression: the value itself, or the variable that has it in each arm."""
    listed = numbers(values[name])
    return name if len(listed) > 1 else f"{listed[0]}"


def baseline_of(factors: list[Factor]) -> str:
    """The key of the arm with the first level of each factor."""
    return ".".join(factor.levels[0].key for factor in factors) or "only"


def _factor(swept: Swept, listed: list[int | float]) -> Factor:
    levels = [
        Level(key=f"{number:g}".replace(".", "-"), label=swept.label(number), variables={swept.name: number})
        for number in listed
    ]
    return Factor(key=swept.factor, label=swept.title, levels=levels)


def _check_level(key: str) -> Level:
    return Level(key=key, label=_CHECKS[key], variables=health_check_variables(key))


def health_check_variables(key: str) -> dict[str, LevelValue]:
    """The variables of a kind of checking: the arguments for the group that changes, and for the others."""
    return {
        "check_changing": CHECK_ARGUMENTS if key == "all" else "",
        "check_others": CHECK_ARGUMENTS if key != "none" else "",
    }
