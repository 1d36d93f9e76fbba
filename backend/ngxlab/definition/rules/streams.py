"""Rules for streams, plan, thresholds and placement."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from ngxlab_contracts.engines import ENGINES, SECTIONS, EngineDescription
from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_contracts.statuses import SERVED, Status, covers
from ngxlab_contracts.streams import MOST_MIXED_BYTES

from ngxlab.analysis.metrics import METRICS
from ngxlab.analysis.thresholds import ThresholdError, parse
from ngxlab.analysis.verdict.stream_comparison import STREAM_METRICS
from ngxlab.core.payload import not_allowed, unshowable
from ngxlab.definition.problems import DefinitionProblem, Messages, Sections, unknown
from ngxlab.definition.rules import websockets
from ngxlab.definition.rules.design import is_countable
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import arms_of
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.plan import Plan, text_of
from ngxlab.definition.schema.streams import Stream


def problems(sections: Sections) -> Messages:
    for i, stream in enumerate(sections.streams or ()):
        yield from _request(f"streams.{i}", stream)
        yield from _engine(f"streams.{i}", stream)
        yield from _connections(f"streams.{i}", stream, sections.nginx)
        yield from websockets.problems(f"streams.{i}", stream)
        if sections.plan is not None:
            yield from _window(f"streams.{i}", stream, sections.plan)
    if sections.plan is not None:
        yield from _stop_rule(sections.plan)
        yield from _primary(sections.plan, [stream.key for stream in sections.streams or ()])
        yield from _selection(sections, sections.plan)
    yield from _thresholds(sections)
    yield from _placement(sections)
    for i, stream in enumerate(sections.streams or ()):
        yield from _statuses(f"streams.{i}", stream)


def _window(field: str, stream: Stream, plan: Plan) -> Messages:
    seconds = plan.warmup_s + plan.measure_s
    if stream.start_offset_s >= seconds:
        yield f"{field}.start_offset_s", say("is after the end of warm-up and measurement at {end:g} s", end=seconds)
    elif stream.duration_s is not None and stream.start_offset_s + stream.duration_s > seconds:
        message = say(
            "goes beyond warm-up and measurement; at most {fits:g} s fit", fits=seconds - stream.start_offset_s
        )
        yield f"{field}.duration_s", message
    elif stream.duration_s is not None and stream.start_offset_s + stream.duration_s <= plan.warmup_s:
        message = say("ends within the warm-up of {warmup:g} s, so nothing would be measured", warmup=plan.warmup_s)
        yield f"{field}.duration_s", message


def _request(field: str, stream: Stream) -> Messages:
    if stream.body is not None and stream.body_bytes is not None:
        yield f"{field}.body_bytes", say("a request has either body or body_bytes, not both")
    if stream.paths is not None and not ENGINES[stream.engine].draws_paths:
        able = _engines(lambda engine: engine.draws_paths)
        yield f"{field}.paths", say("only engine {able} supports many paths", able=able)
    if stream.paths is not None and stream.script is not None:
        yield f"{field}.paths", say("a script chooses the path itself: give either script or paths")
    if stream.paths is not None and stream.path != "/":
        yield f"{field}.paths", say("replaces path: leave path out")
    for name, message in header_problems(stream.headers):
        yield f"{field}.headers.{name}", message
    if stream.requests:
        yield from _mix(field, stream)


_ONE_REQUEST: Mapping[str, object] = {
    "path": "/",
    "paths": None,
    "method": "GET",
    "body": None,
    "body_bytes": None,
    "script": None,
}
"""What a stream without a mix says of its request, with the values that mean nothing."""


def _mix(field: str, stream: Stream) -> Messages:
    if not ENGINES[stream.engine].draws_requests:
        able = _engines(lambda engine: engine.draws_requests)
        message = "engine {engine} sends one kind of request: use engine {able} for a mix"
        yield f"{field}.requests", say(message, engine=stream.engine, able=able)
    for name, usual in _ONE_REQUEST.items():
        if getattr(stream, name) != usual:
            yield f"{field}.{name}", say("each of requests has its own: leave this out, or leave requests out")
    for i, one in enumerate(stream.requests):
        for inner, message in one.problems():
            yield f"{field}.requests.{i}.{inner}", message
        for name, message in header_problems(one.headers):
            yield f"{field}.requests.{i}.headers.{name}", message
    if sum(one.size_of_body for one in stream.requests) > MOST_MIXED_BYTES:
        yield f"{field}.requests", say("their bodies are more than {most:,} B together", most=MOST_MIXED_BYTES)


def _engine(field: str, stream: Stream) -> Messages:
    for name, engine in SECTIONS.items():
        if stream.engine == engine.key and name not in stream.engine_sections:
            yield f"{field}.{name}", say("engine {engine} needs {section}", engine=engine.key, section=name)
        elif stream.engine != engine.key and name in stream.engine_sections:
            message = "belongs to engine {engine}, not to {own}"
            yield f"{field}.{name}", say(message, engine=engine.key, own=stream.engine)
    for name, section in stream.engine_sections.items():
        for inner, message in section.problems():
            yield f"{field}.{name}.{inner}", message
    if stream.script is not None and not ENGINES[stream.engine].runs_scripts:
        able = _engines(lambda engine: engine.runs_scripts)
        yield f"{field}.script", say("only engine {able} runs scripts", able=able)
    if stream.probe and ENGINES[stream.engine].loop != "open":
        able = _engines(lambda engine: engine.loop == "open")
        message = "a probe must use engine {able}, whose latency counts from the intended instant"
        yield f"{field}.probe", say(message, able=able)


def _engines(trait: Callable[[EngineDescription], bool]) -> Sentence:
    return listed([engine.key for engine in ENGINES.values() if trait(engine)], " or ")


def _connections(field: str, stream: Stream, nginx: NginxTemplate | None) -> Messages:
    engine = ENGINES[stream.engine]
    if engine.loop == "hold" and not stream.keep_alive:
        yield f"{field}.keep_alive", say("must be on: connections that close after each request cannot be held")
    if nginx is not None and nginx.tls and not engine.speaks_tls:
        yield f"{field}.engine", say("{engine} supports HTTP only, but nginx.tls is on", engine=engine.key)
    if stream.client is not None and not engine.paces_clients:
        able = _engines(lambda one: one.paces_clients)
        yield f"{field}.client", say("engine {engine} takes none: use engine {able}", engine=engine.key, able=able)
    if stream.tls_client is not None and not engine.chooses_tls:
        able = _engines(lambda one: one.chooses_tls)
        yield f"{field}.tls_client", say("engine {engine} takes none: use engine {able}", engine=engine.key, able=able)
    elif stream.tls_client is not None and nginx is not None and not nginx.tls:
        yield f"{field}.tls_client", say("means nothing without TLS: turn nginx.tls on, or leave it out")


def _statuses(field: str, stream: Stream) -> Messages:
    for i, status in enumerate(stream.rejected_statuses):
        if any(_overlap(status, served) for served in stream.served_statuses):
            message = say(
                "{status} is among served_statuses: a response is either served or rejected", status=str(status)
            )
            yield f"{field}.rejected_statuses.{i}", message
    if ENGINES[stream.engine].tells_statuses:
        return
    able = _engines(lambda engine: engine.tells_statuses)
    if set(stream.served_statuses) != set(SERVED):
        message = say(
            "engine {engine} takes what is below 400 as served: leave this out, or use engine {able}",
            engine=stream.engine,
            able=able,
        )
        yield f"{field}.served_statuses", message
    if stream.rejected_statuses and stream.script is not None:
        message = say(
            "a script leaves no place to count statuses: leave one of them out, or use engine {able}", able=able
        )
        yield f"{field}.rejected_statuses", message


def _overlap(one: Status, other: Status) -> bool:
    """Whether a status is of both."""
    if isinstance(one, str):
        return one == other or (isinstance(other, int) and covers([one], other))
    return covers([other], one)


def _stop_rule(plan: Plan) -> Messages:
    if plan.most_blocks < plan.blocks:
        message = say(
            "is {most}, less than the {blocks} blocks that always run", most=plan.most_blocks, blocks=plan.blocks
        )
        yield "plan.stop.max_blocks", message


def _primary(plan: Plan, streams: Sequence[str]) -> Messages:
    of_streams = [f"{key}.{metric}" for key in streams for metric in STREAM_METRICS]
    names = [*(metric.info.key for metric in METRICS), *of_streams]
    for i, name in enumerate(plan.primary):
        if name not in names:
            yield f"plan.primary.{i}", unknown("metric", name, names)
        elif name in plan.primary[:i]:
            yield f"plan.primary.{i}", say("{name} is named twice", name=name)


def _selection(sections: Sections, plan: Plan) -> Messages:
    """Whether there is something to choose, by a metric of which more or less is better."""
    if plan.selection is None:
        return
    others, finalists = len(_arm_keys(sections) or []) - 1, plan.selection.finalists
    if others >= 0 and finalists >= others:
        message = say(
            "is {finalists}, of {others} arms beside the baseline: there is no choice",
            finalists=finalists,
            others=others,
        )
        yield "plan.selection.finalists", message
    if any(stream.capacity is not None or stream.curve is not None for stream in sections.streams or ()):
        message = say(
            "is not for trials that search for a capacity or draw a curve: a value may lie beyond their rates"
        )
        yield "plan.selection", message
    first = next(iter(plan.primary), "").rpartition(".")[2]
    if any(metric.info.key == first and metric.info.direction == "neutral" for metric in METRICS):
        yield (
            "plan.primary.0",
            say("{metric} says nothing of better or worse, and arms are chosen by the first metric", metric=first),
        )


def warnings(definition: Definition) -> Iterator[DefinitionProblem]:
    """Heats that cost more than they spare, in a definition without problems."""
    plan, arms = definition.plan, len(definition.arms)
    if plan.selection is None:
        return
    blocks = max(plan.blocks, plan.most_blocks)
    own, full = definition.trials(blocks), blocks * arms
    if own >= full:
        yield DefinitionProblem(
            field="plan.selection",
            message=say(
                "heats spare nothing here: the run has {own} trials, and {full} would measure all {arms} arms in all "
                "blocks: remove the choice, or have more blocks or arms",
                own=own,
                full=full,
                arms=arms,
            ),
        )


def _arm_keys(sections: Sections) -> list[str] | None:
    if sections.factors is None or sections.design is None or not is_countable(sections.factors):
        return None
    return [arm.key for arm in arms_of(sections.factors, sections.design)]


def _thresholds(sections: Sections) -> Messages:
    arms = _arm_keys(sections)
    for i, entry in enumerate(sections.thresholds or ()):
        if not isinstance(entry, str) and entry.problem is not None:
            inner, message = entry.problem
            yield f"thresholds.{i}.{inner}", message
            continue
        try:
            threshold = parse(text_of(entry))
        except ThresholdError as error:
            yield f"thresholds.{i}", error.said
            continue
        if threshold.arm is not None and arms is not None and threshold.arm not in arms:
            yield f"thresholds.{i}", say("there is no arm {arm} that runs", arm=repr(threshold.arm))
        elif threshold.ratio and threshold.arm is not None and threshold.arm == sections.baseline:
            yield f"thresholds.{i}", say("compares the baseline with itself")


def _placement(sections: Sections) -> Messages:
    if not isinstance(sections.placement, dict):
        return
    slots = sections.slots
    for slot, cpus in sections.placement.items():
        if slots is not None and slot not in slots:
            yield f"placement.{slot}", unknown("slot", slot, slots)
        for span in cpus.split(","):
            first, _, last = span.partition("-")
            if last and int(last) < int(first):
                yield f"placement.{slot}", say("{span} ends before it begins", span=span)


_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SET_BY_THE_ENGINE = {
    "connection": say("is set by keep_alive: leave the header out"),
    "content-length": say("is set by body and body_bytes: leave the header out"),
}
_HOP_BY_HOP = frozenset({"expect", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"})
"""RFC 9110, 7.6.1: about this one connection, so that a wrong one makes two servers see different requests."""


def header_problems(headers: Mapping[str, str]) -> Messages:
    """The header, and what is wrong with it."""
    seen: set[str] = set()
    for name, value in headers.items():
        if (message := _problem(name, value)) is not None:
            yield name, message
        elif name.lower() in seen:
            yield name, say("is given twice: upper and lower case make no difference")
        seen.add(name.lower())


def _problem(name: str, value: str) -> Sentence | None:
    if not _NAME.fullmatch(name):
        return say("{name} is not a valid name of an HTTP header", name=repr(name))
    if any(c in value for c in "\r\n"):
        return say("the value of a header must be a single line")
    if (bad := unshowable(value, lines=False)) is not None:
        return not_allowed(bad)
    if name.lower() == "host" and not value.strip():
        return say("must not be empty")
    if name.lower() in _HOP_BY_HOP:
        return say("is about the connection, not about the request: leave the header out")
    return _SET_BY_THE_ENGINE.get(name.lower())
