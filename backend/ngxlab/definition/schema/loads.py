"""The sections of a stream that belong to one engine each; the counterpart of ``ngxlab_contracts.streams``.

What only one engine asks of a definition is here, so that rules and :mod:`ngxlab.definition.resolve` know none by name.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from ngxlab_contracts.fields import SEED, field
from ngxlab_contracts.streams import Arrivals

from ngxlab.definition.schema.base import DefinitionModel, TemplatedNumber, Within


class EngineSection(DefinitionModel):
    """What one engine alone is told. A definition's rules ask it for problems."""

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong whatever the arm: the section's field, and a message."""
        yield from ()

    def problems_in_arm(self, numbers: Mapping[str, float]) -> Iterator[tuple[str, str]]:
        """``numbers``: the section's own by their names, without those that have no value in the arm."""
        yield from ()

    def as_spec(self, values: dict[str, Any]) -> dict[str, Any]:
        """``values``: the section's fields in an arm. The result is what the hosts get."""
        return values


class RateStep(DefinitionModel):
    """``per_s`` requests a second for ``duration_s``; with ``to_per_s`` the rate changes linearly to that value."""

    per_s: Annotated[
        TemplatedNumber,
        Within(0, 10_000_000, whole=False),
        field("requests a second at the start of the step", label="Rate", unit="per s"),
    ]
    to_per_s: Annotated[
        TemplatedNumber | None,
        Within(0, 10_000_000, whole=False),
        field(
            "requests a second at its end; without it, the rate stays constant",
            label="Ramp to",
            unit="per s",
            placeholder="no ramp",
        ),
    ] = None
    duration_s: Annotated[
        TemplatedNumber,
        Within(0.001, 86_400, whole=False),
        field("how long the step lasts", label="Duration", unit="s"),
    ]


class OpenLoop(EngineSection):
    """Requests are sent when they are due, answered or not: at ``rate_per_s``, or in ``steps`` one after the other."""

    rate_per_s: Annotated[
        TemplatedNumber | None,
        Within(0, 10_000_000, whole=False),
        field("requests a second; or give steps", label="Rate", unit="per s"),
    ] = None
    steps: Annotated[
        list[RateStep], field("rates one after the other; that at the end of the last one then stays", max_length=100)
    ] = []
    arrivals: Annotated[
        Arrivals,
        field(
            "constant: evenly spaced; poisson: at random instants",
            label="Arrivals",
            choices={"constant": "Evenly spaced", "poisson": "Poisson"},
        ),
    ] = "constant"
    seed: Annotated[int, field(SEED, ge=0, le=2**53, label="Seed")] = 1

    def problems(self) -> Iterator[tuple[str, str]]:
        if (self.rate_per_s is None) == (not self.steps):
            yield "rate_per_s", "give either rate_per_s or steps"

    def as_spec(self, values: dict[str, Any]) -> dict[str, Any]:
        """One rate is a single step that goes on for ever."""
        rate_per_s = values.pop("rate_per_s")
        return values if values["steps"] else values | {"steps": [{"per_s": rate_per_s, "duration_s": 86_400}]}


class IdleHold(EngineSection):
    """Connections opened at ``connect_per_s`` and held. Each repeatedly sleeps for a random time between
    ``think_min_s`` and ``think_max_s`` (uniform) and then sends a request."""

    connect_per_s: Annotated[
        TemplatedNumber,
        Within(1, 1_000_000, whole=False),
        field("connections opened a second, until all are open", label="Connects", unit="per s"),
    ]
    think_min_s: Annotated[
        TemplatedNumber,
        Within(0, 86_400, whole=False),
        field("the shortest time between two requests of a connection", label="Think time from", unit="s"),
    ] = 1
    think_max_s: Annotated[
        TemplatedNumber, Within(0.001, 86_400, whole=False), field("the longest", label=("to", "think time"), unit="s")
    ]
    seed: Annotated[int, field(SEED, ge=0, le=2**53, label="Seed")] = 1

    def problems_in_arm(self, numbers: Mapping[str, float]) -> Iterator[tuple[str, str]]:
        shortest, longest = numbers.get("think_min_s"), numbers.get("think_max_s")
        if shortest is not None and longest is not None and longest < shortest:
            yield "think_max_s", f"is {longest:g} s, less than the {shortest:g} s of think_min_s"
