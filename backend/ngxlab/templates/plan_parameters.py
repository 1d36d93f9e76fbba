"""The plan that a template's form describes."""

from collections.abc import Mapping

from ngxlab.definition.schema.factors import LevelValue
from ngxlab.definition.schema.plan import Plan


def plan_of(values: Mapping[str, LevelValue]) -> Plan:
    """The plan from these parameters."""
    return Plan(
        blocks=int(values["blocks"]),
        warmup_s=float(values["warmup_s"]),
        measure_s=float(values["measure_s"]),
        cooldown_s=float(values["cooldown_s"]),
        interval_ms=int(values["interval_ms"]),
    )
