"""The rates of a load: steps, a search for a capacity, a curve, and the instants of a log."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from ngxlab_contracts.fields import field
from ngxlab_contracts.gaps import LONGEST_TEXT, PATTERN, GapsError, mean_per_s
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.streams import FEWEST_RATES, MOST_RATES, MOST_REPLAYED_PER_S, CurveOrder
from pydantic import Field

from ngxlab.definition.schema.base import DefinitionModel, TemplatedNumber, Within


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


class Goal(DefinitionModel):
    """What a rate must meet; several bounds must hold at once. Latency counts from the instant at which a request was
    due."""

    p50_ms: Annotated[
        TemplatedNumber | None,
        Within(0.001, 600_000, whole=False),
        field("the most that the median latency may be", label="p50 at most", unit="ms", placeholder="any"),
    ] = None
    p90_ms: Annotated[
        TemplatedNumber | None,
        Within(0.001, 600_000, whole=False),
        field("the most that p90 may be", label="p90 at most", unit="ms", placeholder="any"),
    ] = None
    p99_ms: Annotated[
        TemplatedNumber | None,
        Within(0.001, 600_000, whole=False),
        field("the most that p99 may be", label="p99 at most", unit="ms", placeholder="any"),
    ] = None
    p999_ms: Annotated[
        TemplatedNumber | None,
        Within(0.001, 600_000, whole=False),
        field("the most that p99.9 may be", label="p99.9 at most", unit="ms", placeholder="any"),
    ] = None
    errors_percent: Annotated[
        TemplatedNumber | None,
        Within(0, 100, whole=False),
        field(
            "the most requests, in percent, that may not be served", label="Errors at most", unit="%", placeholder="any"
        ),
    ] = None

    @property
    def has_a_bound(self) -> bool:
        return any(getattr(self, name) is not None for name in type(self).model_fields)


class Capacity(DefinitionModel):
    """A search for the highest rate that meets ``goal``, between two rates. The warm-up runs at ``from_per_s``; the
    search takes the whole measured window, rate after rate."""

    goal: Annotated[Goal, field("what a rate must meet")]
    from_per_s: Annotated[
        TemplatedNumber,
        Within(0.001, 10_000_000, whole=False),
        field("requests a second that surely meet the goal", label=("From", "rate"), unit="per s"),
    ]
    to_per_s: Annotated[
        TemplatedNumber,
        Within(0.001, 10_000_000, whole=False),
        field("requests a second that are never exceeded", label=("Up to", "rate"), unit="per s"),
    ]


LEAST_PER_S, MOST_PER_S = 0.001, 10_000_000.0
Rate = Annotated[float, Field(ge=LEAST_PER_S, le=MOST_PER_S)]
Percent = Annotated[float, Field(ge=0.001, le=1000)]
Connections = Annotated[int, Field(ge=1, le=1_000_000)]


class Curve(DefinitionModel):
    """Several loads within each trial, each for an equal part of the measured window: ``rates`` from ``from_per_s`` to
    ``to_per_s``, those of ``rates_per_s``, those that are so many ``percents`` of ``of_per_s``, or, as a closed loop,
    so many ``connections``. The warm-up runs at the lowest."""

    from_per_s: Annotated[
        TemplatedNumber | None,
        Within(0.001, 10_000_000, whole=False),
        field("the lowest rate, in requests a second", label=("From", "rate"), unit="per s"),
    ] = None
    to_per_s: Annotated[
        TemplatedNumber | None,
        Within(0.001, 10_000_000, whole=False),
        field("the highest rate, in requests a second", label=("Up to", "rate"), unit="per s"),
    ] = None
    rates: Annotated[
        int,
        field("how many rates, the lowest and the highest among them", label="Rates", ge=FEWEST_RATES, le=MOST_RATES),
    ] = 10
    spacing: Annotated[
        Literal["even", "factor"],
        field(
            "even: the same difference between two rates; factor: the same ratio",
            label="Spacing",
            choices={"even": "Even", "factor": "By factor"},
        ),
    ] = "even"
    rates_per_s: Annotated[
        list[Rate], field("these rates, in requests a second, instead of a range", max_length=MOST_RATES)
    ] = []
    percents: Annotated[
        list[Percent], field("rates in percent of of_per_s, instead of a range", max_length=MOST_RATES)
    ] = []
    of_per_s: Annotated[
        TemplatedNumber | None,
        Within(0.001, 10_000_000, whole=False),
        field("what percents are of, in requests a second: a capacity that is known", label="Capacity", unit="per s"),
    ] = None
    connections: Annotated[
        list[Connections],
        field(
            "so many connections instead of rates, each of which sends its next request as soon as the last one is "
            "answered; connections of the stream are as many as the largest, or more",
            max_length=MOST_RATES,
        ),
    ] = []
    order: Annotated[
        CurveOrder,
        field(
            "random: drawn anew for each trial, so that nothing that drifts looks like an effect of the rate; "
            "ascending: from the lowest rate up",
            label="Order",
            choices={"random": "Random", "ascending": "Ascending"},
        ),
    ] = "random"

    @property
    def count(self) -> int:
        """How many rates, or numbers of connections."""
        return len(self.rates_per_s or self.percents or self.connections) or self.rates

    def problems(self) -> Iterator[tuple[str, Sentence]]:
        """What is wrong whatever the arm: the field, and a message."""
        has_range = self.from_per_s is not None or self.to_per_s is not None
        given = [has_range, *map(bool, (self.rates_per_s, self.percents, self.connections))].count(True)
        if given == 0:
            yield (
                "from_per_s",
                say("has no points: give from_per_s and to_per_s, rates_per_s, percents, or connections"),
            )
        elif given > 1:
            yield "from_per_s", say("give one of from_per_s and to_per_s, rates_per_s, percents, and connections")
        elif has_range:
            for name in ("from_per_s", "to_per_s"):
                if getattr(self, name) is None:
                    yield name, say("is missing: a range has a lowest and a highest rate")
        else:
            yield from self._listed_problems()
        if given == 1 and (self.of_per_s is None) == bool(self.percents):
            yield (
                "of_per_s",
                say("is missing: percents are of it" if self.percents else "means nothing without percents"),
            )

    def _listed_problems(self) -> Iterator[tuple[str, Sentence]]:
        for name in ("rates", "spacing"):
            if getattr(self, name) != type(self).model_fields[name].default:
                yield name, say("{name} is of a range of rates, and means nothing without one: leave it out", name=name)
        listed_points: dict[str, list[float]] = {
            "rates_per_s": self.rates_per_s, "percents": self.percents, "connections": [*self.connections]
        }  # fmt: skip
        for name, points in listed_points.items():
            if points and (len(points) < FEWEST_RATES or len(set(points)) < len(points)):
                yield name, say("a curve has {least} or more, each another", least=FEWEST_RATES)


class Replay(DefinitionModel):
    """Requests at the instants of an access log, ``speed`` times as fast. After its last request it begins again."""

    gaps: Annotated[
        str,
        field(
            "the time from each request of the log to the next, as ngxlab mix --replay and the designer write it",
            pattern=PATTERN,
            max_length=LONGEST_TEXT,
        ),
    ]
    speed: Annotated[
        TemplatedNumber,
        Within(0.001, 1000, whole=False),
        field("how many times as fast as in the log requests come", label="Times the log's speed"),
    ] = 1


def too_fast(replay: Replay, speed: float) -> Iterator[tuple[str, Sentence]]:
    """What is wrong where the log, so many times as fast, comes at more than can be sent."""
    try:
        per_s = mean_per_s(replay.gaps, speed)
    except GapsError:
        return  # which is a problem of its own
    if per_s > MOST_REPLAYED_PER_S:
        message = "makes {rate:,.0f} requests a second of the log; at most {most:,} can be replayed"
        yield "replay.speed", say(message, rate=per_s, most=MOST_REPLAYED_PER_S)


def of_percents(percents: Iterable[float], of_per_s: float) -> list[float]:
    """In five figures."""
    return [float(f"{percent / 100 * of_per_s:.5g}") for percent in percents]


def unusable_percents(rates: Sequence[float]) -> Iterator[tuple[str, Sentence]]:
    """What is wrong with the rates that a curve's percents make."""
    if rates and not LEAST_PER_S <= min(rates) <= max(rates) <= MOST_PER_S:
        message = "make rates from {low:g} to {high:,.0f} requests a second; {least:g} to {most:,.0f} are possible"
        yield "curve.percents", say(message, low=min(rates), high=max(rates), least=LEAST_PER_S, most=MOST_PER_S)
    if len(set(rates)) < len(rates):
        yield "curve.percents", say("make the same rate twice, in five figures")


def rates_of(
    *,
    from_per_s: float | None,
    to_per_s: float | None,
    rates: int,
    spacing: str,
    rates_per_s: list[float],
    percents: list[float],
    of_per_s: float | None,
    **_: object,
) -> list[float]:
    """Those of a range from the lowest up, in five figures, and so are percents."""
    if of_per_s is not None:
        return of_percents(percents, of_per_s)
    if from_per_s is None or to_per_s is None:
        return rates_per_s
    shares = [number / (rates - 1) for number in range(rates)]
    if spacing == "factor":
        found = [from_per_s * (to_per_s / from_per_s) ** share for share in shares]
    else:
        found = [from_per_s + (to_per_s - from_per_s) * share for share in shares]
    return [from_per_s, *(float(f"{rate:.5g}") for rate in found[1:-1]), to_per_s]
