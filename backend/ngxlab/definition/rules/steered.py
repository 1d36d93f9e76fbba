"""Rules for a stream whose rates the agent sets, in a search for the capacity or for a curve: the rates that it tries
are the trial, so that the rest must leave it alone."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ngxlab_contracts.sentences import Sentence, say

from ngxlab.analysis.thresholds import ThresholdError, parse
from ngxlab.definition.problems import DefinitionProblem, Messages, Sections
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.plan import Plan, UntilPrecise, text_of
from ngxlab.definition.schema.streams import CAPACITY_FIELD, CURVE_FIELD, Stream

SHORTEST_S = 10.0
"""The shortest measured window in which a search for the capacity can come to an end."""
SHORTEST_RATE_S = 1.0
"""What each rate of a curve needs of the measured window."""
_FULL_STEPS = 8
"""A full step takes so large a part of the measured window."""
_RESPONSES: Mapping[str, int] = {"p50_ms": 20, "p90_ms": 100, "p99_ms": 1_000, "p999_ms": 10_000}
"""Responses that a percentile needs, at which ten are beyond it."""
_OF_LOAD = ("requests_per_s", "latency_p50_us", "latency_p99_us", "latency_mean_us", "latency_stdev_us")
_THRESHOLDS_OF_LOAD = frozenset({"p50_ms", "p90_ms", "p99_ms", "p999_ms", "mean_ms", "stdev_ms", "max_ms"}) | {
    "requests_per_s",
    "errors_percent",
}


class _Kind(NamedTuple):
    """How the agent sets the rates. ``metric``: the result of a trial."""

    field: str
    metric: str
    name: Sentence
    does: Sentence
    lacking: Sentence


_SEARCH = _Kind(
    CAPACITY_FIELD,
    "capacity_per_s",
    say("a search"),
    say("search for the capacity"),
    say("no stream searches for its capacity (open_loop.capacity)"),
)
_CURVE = _Kind(
    CURVE_FIELD,
    "plateau_per_s",
    say("a curve"),
    say("draw a curve"),
    say("no stream draws a curve (open_loop.curve)"),
)


def _kind(stream: Stream) -> _Kind | None:
    return _SEARCH if stream.capacity is not None else _CURVE if stream.curve is not None else None


def problems(sections: Sections) -> Messages:
    """``streams`` may be broken: then nothing is known of what they try."""
    if sections.streams is None:
        return
    steered = [(i, stream, kind) for i, stream in enumerate(sections.streams) if (kind := _kind(stream)) is not None]
    for i, stream, kind in steered:
        yield from _stream(f"streams.{i}", stream, kind, sections.plan)
    for i, _, kind in steered[1:]:
        first = steered[0][1].key
        yield (
            f"streams.{i}.{kind.field}",
            say("stream {stream} already tries rates: a trial has one such stream at most", stream=first),
        )
    kinds = {kind for _, _, kind in steered}
    if sections.plan is not None:
        yield from _metrics(sections.plan, [stream.key for _, stream, _ in steered], kinds)
    yield from _thresholds(sections, kinds)


def _stream(field: str, stream: Stream, kind: _Kind, plan: Plan | None) -> Messages:
    if stream.probe:
        yield f"{field}.probe", say("a probe observes a load: it cannot {act}", act=kind.does)
    if stream.duration_s is not None:
        message = say("leave it out: {kind} takes the whole measured window", kind=kind.name)
        yield f"{field}.duration_s", message
    if stream.curve is not None and stream.curve.connections:
        yield from _closed_loop(field, stream, max(stream.curve.connections))
    if plan is None:
        return
    if stream.start_offset_s > plan.warmup_s:
        late = "must not be after the warm-up of {warmup:g} s: {kind} takes the whole measured window"
        yield f"{field}.start_offset_s", say(late, warmup=plan.warmup_s, kind=kind.name)
    if stream.capacity is not None and plan.measure_s < SHORTEST_S:
        message = say(
            "is {window:g} s: a search for the capacity needs {least:g} s, better 30 to 60 s",
            window=plan.measure_s,
            least=SHORTEST_S,
        )
        yield "plan.measure_s", message
    if stream.curve is not None and plan.measure_s < (least := SHORTEST_RATE_S * stream.curve.count):
        message = say(
            "is {window:g} s: {rates} rates need {least:g} s, better {better:g} s",
            window=plan.measure_s,
            rates=stream.curve.count,
            least=least,
            better=4 * least,
        )
        yield "plan.measure_s", message


def _closed_loop(field: str, stream: Stream, most: int) -> Messages:
    if isinstance(stream.connections, int) and stream.connections < most:
        message = say("is {count:,}, fewer than the {most:,} of the curve", count=stream.connections, most=most)
        yield f"{field}.connections", message
    if stream.protocol != "http/1.1":
        message = say("must be HTTP/1.1 where a curve counts connections: with others each carries many requests")
        yield f"{field}.protocol", message


def _metrics(plan: Plan, steered: list[str], kinds: set[_Kind]) -> Messages:
    of_load = {*_OF_LOAD, *(f"{key}.{metric}" for key in steered for metric in _OF_LOAD)}
    named = [(f"plan.primary.{i}", name) for i, name in enumerate(plan.primary)]
    if isinstance(plan.stop, UntilPrecise):
        named.append(("plan.stop.metric", plan.stop.metric))
    for field, name in named:
        for kind in kinds:
            if name in of_load:
                message = "{name} is what {kind} makes of it: choose {metric}"
                yield field, say(message, name=name, kind=kind.name, metric=kind.metric)
        for kind in {_SEARCH, _CURVE} - kinds:
            if name == kind.metric:
                yield field, kind.lacking


def _thresholds(sections: Sections, kinds: set[_Kind]) -> Messages:
    for i, entry in enumerate(sections.thresholds or ()):
        try:
            metric = parse(text_of(entry)).metric
        except ThresholdError:
            continue  # said elsewhere
        for kind in kinds:
            if metric in _THRESHOLDS_OF_LOAD:
                message = "{name} is what {kind} makes of it: bound {metric}"
                yield f"thresholds.{i}", say(message, name=metric, kind=kind.name, metric=kind.metric)
        for kind in {_SEARCH, _CURVE} - kinds:
            if metric == kind.metric:
                yield f"thresholds.{i}", kind.lacking


def warnings(definition: Definition) -> Iterator[DefinitionProblem]:
    """What may not be meant, in a definition without problems."""
    steered = [(i, stream, kind) for i, stream in enumerate(definition.streams) if (kind := _kind(stream)) is not None]
    for i, stream, kind in steered:
        others = [one.key for one in definition.streams if one is not stream and not one.probe]
        if others:
            yield DefinitionProblem(
                field=f"streams.{i}.{kind.field}",
                message=say(
                    "what is found is found beside the load of {streams}: remove it, unless that is the question",
                    streams=", ".join(others),
                ),
            )
        yield from _few_responses(definition, i, stream)


def _few_responses(definition: Definition, i: int, stream: Stream) -> Iterator[DefinitionProblem]:
    """A percentile of the lowest rate, by the length of a full step."""
    seconds = definition.plan.measure_s / _FULL_STEPS
    for arm in definition.arms:
        wanted = resolve(definition, arm).streams[i].searches_for
        if wanted is None:
            continue
        needed = max((_RESPONSES.get(key, 0) for key in wanted.goal.model_dump(exclude_none=True)), default=0)
        if wanted.from_per_s * seconds < needed:
            yield DefinitionProblem(
                field=f"streams.{i}.{CAPACITY_FIELD}.from_per_s",
                message=say(
                    "at {rate:g}/s, a step of {seconds:g} s has too few responses for the goal's percentile, which "
                    "needs {needed:,}: begin at {least:,.0f}/s or more, or lengthen the measured window",
                    rate=wanted.from_per_s,
                    seconds=seconds,
                    needed=needed,
                    least=needed / seconds,
                ),
            )
            return
