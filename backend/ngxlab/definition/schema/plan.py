"""How often each arm runs, for how long, and when the run has measured enough."""

from typing import Annotated, Literal

from ngxlab_contracts.fields import field
from pydantic import Field

from ngxlab.definition.schema.base import DefinitionModel


class FixedBlocks(DefinitionModel):
    kind: Annotated[Literal["fixed"], field("fixed: after the planned blocks")] = "fixed"


class UntilPrecise(DefinitionModel):
    """Add blocks until the 95 % interval of ``metric`` is within ± ``half_width_percent`` for every arm."""

    kind: Annotated[
        Literal["precision"], field("precision: add blocks until an interval is narrow enough for every arm")
    ] = "precision"
    metric: Annotated[
        Literal["requests_per_s", "latency_p50_us", "latency_p99_us"],
        field(
            "the metric whose 95 % interval is looked at",
            label="Metric",
            choices={
                "requests_per_s": "requests/s",
                "latency_p50_us": "median latency",
                "latency_p99_us": "p99 latency",
            },
        ),
    ]
    half_width_percent: Annotated[
        float, field("how wide it may be, to either side", gt=0, le=100, label="Within", unit="± %")
    ]
    max_blocks: Annotated[
        int, field("the most blocks, whatever the precision", ge=2, le=100, label="At most", unit="blocks")
    ]


class Plan(DefinitionModel):
    """Randomised complete blocks: every block runs each arm once, in an order that depends on the run's seed.

    ``primary``: the metrics on which claims are made, the most important first; ``STREAM.METRIC`` for those of one
    stream. Without any, those of the template or of the load. All others are exploratory.
    """

    blocks: Annotated[
        int,
        field("how often each arm runs; each block runs every arm once, in random order", ge=1, le=100, label="Blocks"),
    ]
    warmup_s: Annotated[
        float, field("load before the measured window, not counted", ge=0, le=600, label="Warm-up", unit="s")
    ]
    measure_s: Annotated[
        float, field("length of the measured window", ge=1, le=3600, label=("Measure", "phase"), unit="s")
    ]
    cooldown_s: Annotated[float, field("pause after each trial", ge=0, le=600, label="Cool-down", unit="s")] = 1.0
    interval_ms: Annotated[
        int,
        field(
            "time between two readings of nginx and of the system", ge=100, le=60_000, label="Sample every", unit="ms"
        ),
    ] = 1000
    primary: Annotated[
        list[Annotated[str, Field(max_length=120)]],
        field(
            "the metrics on which claims are made, the most important first; STREAM.METRIC for "
            "those of one stream. Without any, those of the template or of the load",
            max_length=10,
        ),
    ] = []
    stop: Annotated[FixedBlocks | UntilPrecise, field("when the run ends", discriminator="kind")] = FixedBlocks()
