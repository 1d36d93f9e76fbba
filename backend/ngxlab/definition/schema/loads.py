"""Settings of ngxlab's own engines in a definition; the counterpart of ``ngxlab_contracts.streams``."""

from typing import Annotated

from ngxlab_contracts.streams import Arrivals
from pydantic import Field

from ngxlab.definition.schema.base import DefinitionModel, TemplatedNumber, Within


class RateStep(DefinitionModel):
    """``per_s`` requests a second for ``duration_s``; with ``to_per_s`` the rate changes linearly to that value."""

    per_s: Annotated[TemplatedNumber, Within(0, 10_000_000, whole=False)]
    to_per_s: Annotated[TemplatedNumber | None, Within(0, 10_000_000, whole=False)] = None
    duration_s: Annotated[TemplatedNumber, Within(0.001, 86_400, whole=False)]


class OpenLoop(DefinitionModel):
    """Requests are sent when they are due, answered or not: at ``rate_per_s``, or in ``steps`` one after the other."""

    rate_per_s: Annotated[TemplatedNumber | None, Within(0, 10_000_000, whole=False)] = None
    steps: Annotated[list[RateStep], Field(max_length=100)] = []
    arrivals: Arrivals = "constant"
    seed: Annotated[int, Field(ge=0, le=2**53)] = 1


class IdleHold(DefinitionModel):
    """Connections opened at ``connect_per_s`` and held. Each repeatedly sleeps for a random time between
    ``think_min_s`` and ``think_max_s`` (uniform) and then sends a request."""

    connect_per_s: Annotated[TemplatedNumber, Within(1, 1_000_000, whole=False)]
    think_min_s: Annotated[TemplatedNumber, Within(0, 86_400, whole=False)] = 1
    think_max_s: Annotated[TemplatedNumber, Within(0.001, 86_400, whole=False)]
    seed: Annotated[int, Field(ge=0, le=2**53)] = 1
