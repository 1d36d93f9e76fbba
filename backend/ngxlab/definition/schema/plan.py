"""How often each arm runs, for how long, and when the run has measured enough."""

from typing import Annotated, Literal

from pydantic import Field

from ngxlab.definition.schema.base import DefinitionModel


class FixedBlocks(DefinitionModel):
    kind: Literal["fixed"] = "fixed"


class UntilPrecise(DefinitionModel):
    """Add blocks until the 95 % interval of ``metric`` is within ± ``half_width_percent`` for every arm."""

    kind: Literal["precision"] = "precision"
    metric: Literal["requests_per_s", "latency_p50_us", "latency_p99_us"]
    half_width_percent: Annotated[float, Field(gt=0, le=100)]
    max_blocks: Annotated[int, Field(ge=2, le=100)]


class Plan(DefinitionModel):
    """Randomised complete blocks: every block runs each arm once, in an order that depends on the run's seed.

    ``primary``: the metrics on which claims are made, the most important first; ``STREAM.METRIC`` for those of one
    stream. Without any, those of the template or of the load. All others are exploratory.
    """

    blocks: Annotated[int, Field(ge=1, le=100)]
    warmup_s: Annotated[float, Field(ge=0, le=600)]
    measure_s: Annotated[float, Field(ge=1, le=3600)]
    cooldown_s: Annotated[float, Field(ge=0, le=600)] = 1.0
    interval_ms: Annotated[int, Field(ge=100, le=60_000)] = 1000
    primary: Annotated[list[Annotated[str, Field(max_length=120)]], Field(max_length=10)] = []
    stop: Annotated[FixedBlocks | UntilPrecise, Field(discriminator="kind")] = FixedBlocks()
