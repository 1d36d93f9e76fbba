"""Rules for a stream that searches for its capacity: the search is the trial, so that the rest must leave it alone."""

from collections.abc import Iterator, Mapping

from ngxlab.analysis.thresholds import ThresholdError, parse
from ngxlab.definition.problems import DefinitionProblem, Messages, Sections
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.plan import Plan, UntilPrecise, text_of
from ngxlab.definition.schema.streams import CAPACITY_FIELD, Stream

SHORTEST_S = 10.0
"""The shortest measured window in which a search for the capacity can come to an end."""
_FULL_STEPS = 8
"""A full step takes so large a part of the measured window."""
_RESPONSES: Mapping[str, int] = {"p50_ms": 20, "p90_ms": 100, "p99_ms": 1_000, "p999_ms": 10_000}
"""Responses that a percentile needs, at which ten are beyond it."""
_OF_LOAD = ("requests_per_s", "latency_p50_us", "latency_p99_us", "latency_mean_us", "latency_stdev_us")
_CAPACITY = "capacity_per_s"
_THRESHOLDS_OF_LOAD = frozenset({"p50_ms", "p90_ms", "p99_ms", "p999_ms", "mean_ms", "stdev_ms", "max_ms"}) | {
    "requests_per_s",
    "errors_percent",
}


def problems(sections: Sections) -> Messages:
    """``streams`` may be broken: then nothing is known of a search."""
    if sections.streams is None:
        return
    searching = [(i, stream) for i, stream in enumerate(sections.streams) if stream.capacity is not None]
    for i, stream in searching:
        yield from _stream(f"streams.{i}", stream, sections.plan)
    for i, _ in searching[1:]:
        first = searching[0][1].key
        yield f"streams.{i}.{CAPACITY_FIELD}", f"stream {first} already searches: a trial has one search at most"
    if sections.plan is not None:
        yield from _metrics(sections.plan, [stream.key for _, stream in searching])
    yield from _thresholds(sections, is_searching=bool(searching))


def _stream(field: str, stream: Stream, plan: Plan | None) -> Messages:
    if stream.probe:
        yield f"{field}.probe", "a probe observes a load: it cannot search for the capacity"
    if stream.duration_s is not None:
        yield f"{field}.duration_s", "leave it out: a search takes the whole measured window"
    if plan is None:
        return
    if stream.start_offset_s > plan.warmup_s:
        late = f"must not be after the warm-up of {plan.warmup_s:g} s: a search takes the whole measured window"
        yield f"{field}.start_offset_s", late
    if plan.measure_s < SHORTEST_S:
        message = f"is {plan.measure_s:g} s: a search for the capacity needs {SHORTEST_S:g} s, better 30 to 60 s"
        yield "plan.measure_s", message


def _metrics(plan: Plan, searching: list[str]) -> Messages:
    of_load = {*_OF_LOAD, *(f"{key}.{metric}" for key in searching for metric in _OF_LOAD)}
    named = [(f"plan.primary.{i}", name) for i, name in enumerate(plan.primary)]
    if isinstance(plan.stop, UntilPrecise):
        named.append(("plan.stop.metric", plan.stop.metric))
    for field, name in named:
        if searching and name in of_load:
            yield field, f"{name} is what the search makes of it: choose {_CAPACITY}"
        elif not searching and name == _CAPACITY:
            yield field, "no stream searches for its capacity (open_loop.capacity)"


def _thresholds(sections: Sections, *, is_searching: bool) -> Messages:
    for i, entry in enumerate(sections.thresholds or ()):
        try:
            metric = parse(text_of(entry)).metric
        except ThresholdError:
            continue  # said elsewhere
        if is_searching and metric in _THRESHOLDS_OF_LOAD:
            yield f"thresholds.{i}", f"{metric} is what the search makes of it: bound {_CAPACITY}, or change the goal"
        elif not is_searching and metric == _CAPACITY:
            yield f"thresholds.{i}", "no stream searches for its capacity (open_loop.capacity)"


def warnings(definition: Definition) -> Iterator[DefinitionProblem]:
    """Of a definition without problems."""
    searching = [(i, stream) for i, stream in enumerate(definition.streams) if stream.capacity is not None]
    for i, stream in searching:
        others = [one.key for one in definition.streams if one is not stream and not one.probe]
        if others:
            yield DefinitionProblem(
                field=f"streams.{i}.{CAPACITY_FIELD}",
                message=f"what is found is the capacity beside the load of {', '.join(others)}: remove it, unless that "
                "is the question",
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
                message=f"at {wanted.from_per_s:g}/s, a step of {seconds:g} s has too few responses for the goal's "
                f"percentile, which needs {needed:,}: begin at {needed / seconds:,.0f}/s or more, or lengthen the "
                "measured window",
            )
            return
