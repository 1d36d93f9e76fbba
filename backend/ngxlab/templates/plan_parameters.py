"""The parameters that templates share: blocks, phases, sampling and baseline."""

from collections.abc import Mapping, Sequence

from ngxlab.definition.schema.factors import LevelValue
from ngxlab.definition.schema.plan import Plan
from ngxlab.templates.form import Choice, Parameter

PLAN = "Plan"
"""The section of the form."""


def plan_parameters(
    *,
    blocks: int = 3,
    warmup_s: float = 2,
    measure_s: float = 10,
    cooldown_s: float = 1,
    interval_ms: int = 1000,
) -> list[Parameter]:
    """Blocks, phases and sampling with these defaults."""
    return [
        Parameter(
            name="blocks",
            section=PLAN,
            label="Blocks",
            help="Each block runs every arm once, in random order. Five give a dependable interval, three a preview.",
            kind="integer",
            default=blocks,
            minimum=1,
            maximum=50,
        ),
        _seconds("warmup_s", "Warm-up", "Load before the measured window; shown, but not counted.", warmup_s),
        _seconds("measure_s", "Measure", "The measured window of each trial.", measure_s, 1, 3600),
        _seconds("cooldown_s", "Cool-down", "Pause after each trial, so that it does not affect the next.", cooldown_s),
        Parameter(
            name="interval_ms",
            section=PLAN,
            label="Sampling interval",
            help="Time between two readings of nginx and of the system. Latency histograms cover one second each.",
            kind="integer",
            unit="ms",
            default=interval_ms,
            minimum=100,
            maximum=10_000,
        ),
    ]


def baseline_parameter(arms: Sequence[Choice], article_value: str | None = None) -> Parameter:
    """The baseline among the arms; by default the first."""
    return Parameter(
        name="baseline",
        section=PLAN,
        label="Baseline",
        help="The arm that all others are compared with.",
        kind="choice",
        choices=list(arms),
        default=arms[0].value,
        article_value=article_value,
    )


def _seconds(name: str, label: str, text: str, default: float, *limits: float) -> Parameter:
    low, high = limits or (0, 600)
    return Parameter(
        name=name,
        section=PLAN,
        label=label,
        help=text,
        kind="number",
        unit="s",
        default=default,
        minimum=low,
        maximum=high,
    )


def plan_of(values: Mapping[str, LevelValue]) -> Plan:
    """The plan from these parameters."""
    return Plan(
        blocks=int(values["blocks"]),
        warmup_s=float(values["warmup_s"]),
        measure_s=float(values["measure_s"]),
        cooldown_s=float(values["cooldown_s"]),
        interval_ms=int(values["interval_ms"]),
    )
