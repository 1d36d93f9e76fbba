"""The load: each stream is one load generator.

What only one engine asks of a definition is here, so that rules and :mod:`ngxlab.definition.resolve` know none by name.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from ngxlab_contracts.engines import DEFAULT_ENGINE, ENGINES, HTTP_VERSIONS, SECTIONS, EngineName, HttpVersion, Loop
from ngxlab_contracts.fields import SEED, field
from ngxlab_contracts.gaps import GapsError, ticks_of
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.statuses import SERVED, StatusList
from ngxlab_contracts.streams import (
    LARGEST_MESSAGE,
    MOST_REQUESTS,
    REQUESTS_AT_ONCE,
    Arrivals,
    MixedRequest,
    PathChoice,
)
from pydantic import Field

from ngxlab.definition.schema.base import (
    KEY,
    SLOT,
    DefinitionModel,
    Expression,
    Key,
    OneOf,
    Templated,
    TemplatedNumber,
    Within,
)
from ngxlab.definition.schema.clients import StreamClient, TlsClient
from ngxlab.definition.schema.rates import (
    Capacity,
    Curve,
    Goal,
    RateStep,
    Replay,
    of_percents,
    rates_of,
    too_fast,
    unusable_percents,
)


class EngineSection(DefinitionModel):
    """What one engine alone is told. A definition's rules ask it for problems."""

    def problems(self) -> Iterator[tuple[str, Sentence]]:
        """What is wrong whatever the arm: the section's field, and a message."""
        yield from ()

    def problems_in_arm(self, numbers: Mapping[str, float]) -> Iterator[tuple[str, Sentence]]:
        """``numbers``: the section's own by their paths in it, without those that have no value in the arm."""
        yield from ()

    def as_spec(self, values: dict[str, Any]) -> dict[str, Any]:
        """``values``: the section's fields in an arm. The result is what the hosts get."""
        return values


class OpenLoop(EngineSection):
    """Requests are sent when they are due, answered or not: at ``rate_per_s``, in ``steps`` one after the other, at
    the rates of a search for the ``capacity``, at those of a ``curve``, or at the instants of a log, a ``replay``."""

    rate_per_s: Annotated[
        TemplatedNumber | None,
        Within(0, 10_000_000, whole=False),
        field("requests a second; or give steps, capacity, curve or replay", label="Rate", unit="per s"),
    ] = None
    steps: Annotated[
        list[RateStep], field("rates one after the other; that at the end of the last one then stays", max_length=100)
    ] = []
    capacity: Annotated[Capacity | None, field("look for the highest rate that meets a goal")] = None
    curve: Annotated[Curve | None, field("show throughput and latency at each of several rates")] = None
    replay: Annotated[Replay | None, field("send requests at the instants of an access log")] = None
    arrivals: Annotated[
        Arrivals,
        field(
            "constant: evenly spaced; poisson: at random instants",
            label="Arrivals",
            choices={"constant": "Evenly spaced", "poisson": "Poisson"},
        ),
    ] = "constant"
    seed: Annotated[int, field(SEED, ge=0, le=2**53, label="Seed")] = 1

    def problems(self) -> Iterator[tuple[str, Sentence]]:
        parts = (self.rate_per_s, self.capacity, self.curve, self.replay)
        if [bool(self.steps), *(part is not None for part in parts)].count(True) != 1:
            yield "rate_per_s", say("give one of rate_per_s, steps, capacity, curve and replay")
        if self.replay is not None:
            yield from self._of_replay(self.replay)
        if self.curve is not None:
            yield from ((f"curve.{name}", message) for name, message in self.curve.problems())
            if self.curve.connections and self.arrivals != "constant":
                yield "arrivals", say("means nothing where connections wait for answers: leave it out")
        if self.capacity is not None and not self.capacity.goal.has_a_bound:
            yield "capacity.goal", say("needs a bound: one or more of {bounds}", bounds=", ".join(Goal.model_fields))

    def _of_replay(self, replay: Replay) -> Iterator[tuple[str, Sentence]]:
        if self.arrivals != "constant":
            yield "arrivals", say("means nothing where a log says when requests come: leave it out")
        try:
            ticks_of(replay.gaps)
        except GapsError as error:
            yield "replay.gaps", error.reason

    def problems_in_arm(self, numbers: Mapping[str, float]) -> Iterator[tuple[str, Sentence]]:
        for name in ("capacity", "curve"):
            lowest, highest = numbers.get(f"{name}.from_per_s"), numbers.get(f"{name}.to_per_s")
            if lowest is not None and highest is not None and highest <= lowest:
                message = "is {highest:g}, not more than the {lowest:g} of from_per_s"
                yield f"{name}.to_per_s", say(message, highest=highest, lowest=lowest)
        if self.curve is not None and (of_per_s := numbers.get("curve.of_per_s")) is not None:
            yield from unusable_percents(of_percents(self.curve.percents, of_per_s))
        if self.replay is not None and (speed := numbers.get("replay.speed")) is not None:
            yield from too_fast(self.replay, speed)

    def as_spec(self, values: dict[str, Any]) -> dict[str, Any]:
        """One rate is a single step that goes on for ever; a curve has its rates one by one."""
        if (curve := values.get("curve")) is not None:
            points = (
                {"connections": curve["connections"]} if curve["connections"] else {"rates_per_s": rates_of(**curve)}
            )
            values = values | {"curve": points | {"order": curve["order"]}}
        rate_per_s = values.pop("rate_per_s")
        if rate_per_s is None:
            return values
        return values | {"steps": [{"per_s": rate_per_s, "duration_s": 86_400}]}


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

    def problems_in_arm(self, numbers: Mapping[str, float]) -> Iterator[tuple[str, Sentence]]:
        shortest, longest = numbers.get("think_min_s"), numbers.get("think_max_s")
        if shortest is not None and longest is not None and longest < shortest:
            message = "is {longest:g} s, less than the {shortest:g} s of think_min_s"
            yield "think_max_s", say(message, longest=longest, shortest=shortest)


GENERATOR_SLOT = "generator"
CAPACITY_FIELD, CURVE_FIELD = "open_loop.capacity", "open_loop.curve"
"""Their places in a stream."""


class WebSocket(DefinitionModel):
    """The connections of the stream are WebSockets, opened before its start and held (open-loop). Each of its requests
    is a message; the next message that comes on its connection answers it. A connection carries one at a time, and
    connections take turns: each has one every ``connections / rate_per_s`` seconds."""

    message_bytes: Annotated[
        Templated,
        Within(0, LARGEST_MESSAGE),
        field("size of each message, without its frame", label="Message", unit="B"),
    ] = 64


class Stream(DefinitionModel):
    """One load generator, on the host that plays ``slot``. Times count from the start of warm-up.

    ``threads``: wrk's threads, or the open loop's processes. ``probe``: a stream at a low rate that only observes what
    the other streams cause; the totals leave it out. ``paths`` (wrk only): many paths instead of ``path``.
    ``requests`` (open-loop only): a mix of requests instead of one. ``tls_client`` (open-loop only): what its clients
    bring to TLS. ``client`` (open-loop only): how slow and far away they are, and how many go away. ``websocket``
    (open-loop only): its connections are WebSockets, and carry messages.
    ``served_statuses``: a response with another status serves nobody, and is in no rate and no latency;
    ``rejected_statuses``: those of them that the experiment expects, so that they are no errors.
    ``open_loop`` and ``idle_hold`` belong to the engine of that name.
    """

    key: Annotated[Key, field(KEY, label="Stream", code="line")]
    engine: Annotated[
        EngineName,
        field(
            "the program that makes the load: wrk (closed loop), open-loop (at a rate), or idle-"
            "hold (many connections that mostly wait)",
            label="Engine",
        ),
    ] = DEFAULT_ENGINE
    slot: Annotated[Key, field(SLOT, label="Slot", code="line")] = GENERATOR_SLOT
    threads: Annotated[
        Templated, Within(1, 256), field("threads of wrk, or processes of open-loop", label="Threads")
    ] = 1
    connections: Annotated[
        Templated,
        Within(1, 1_000_000),
        field("connections open at once; for wrk a multiple of the threads", label="Connections"),
    ]
    protocol: Annotated[
        HttpVersion | Expression,
        OneOf(HTTP_VERSIONS),
        field(
            "the version of HTTP that the stream speaks; over TLS, HTTP/2 is agreed on with nginx, and in clear it is "
            "spoken from the first byte; HTTP/3 is spoken over QUIC. nginx must offer it (http2, or quic among the "
            "listen options)",
            label="Protocol",
            choices={"http/1.1": ("HTTP/1.1",), "http/2": ("HTTP/2",), "http/3": ("HTTP/3",)},
        ),
    ] = "http/1.1"
    requests_at_once: Annotated[
        Templated,
        Within(1, 1000),
        field(
            "with HTTP/2 and HTTP/3, how many requests a connection carries at the same time at most; fewer, where "
            "nginx allows fewer (http2_max_concurrent_streams, http3_max_concurrent_streams)",
            label="Requests at once",
        ),
    ] = REQUESTS_AT_ONCE
    tls_client: Annotated[
        TlsClient | None, field("what the clients bring to TLS, such as earlier sessions (open-loop)")
    ] = None
    client: Annotated[
        StreamClient | None,
        field("how slow and how far away the clients are, and how many go away before they are answered (open-loop)"),
    ] = None
    websocket: Annotated[
        WebSocket | None, field("connections are WebSockets, and carry messages instead of requests (open-loop)")
    ] = None
    timeout_s: Annotated[
        int, field("an answer that takes longer is an error", ge=1, le=600, label="Response timeout", unit="s")
    ] = 30
    start_offset_s: Annotated[
        float, field("when the stream starts, from the start of warm-up", ge=0, le=3600, label="Starts after", unit="s")
    ] = 0
    duration_s: Annotated[
        Annotated[float, Field(gt=0, le=3600)] | None,
        field(
            "how long it lasts; without it, to the end of the measured window",
            label="Duration",
            unit="s",
            placeholder="to the end",
        ),
    ] = None
    path: Annotated[str, field("what is requested", pattern=r"^/\S*$", max_length=2000, label="Path", code="line")] = (
        "/"
    )
    paths: Annotated[PathChoice | None, field("many paths, of which each request takes one (wrk)")] = None
    requests: Annotated[
        list[MixedRequest],
        field(
            "a mix: each request is one of these, drawn by weight (open-loop), instead of path, method and body",
            max_length=MOST_REQUESTS,
        ),
    ] = []
    requests_seed: Annotated[
        int,
        field(
            "determines what is drawn of the mix: with the same seed, request k is the same in every trial",
            ge=0,
            le=2**53,
            label="Seed of the mix",
        ),
    ] = 1
    method: Annotated[str, field("of the requests", pattern=r"^[A-Z]{1,20}$", label="Method", code="line")] = "GET"
    headers: Annotated[dict[str, str], field("of the requests, by name")] = {}
    body: Annotated[
        Annotated[str, Field(max_length=65_536)] | None,
        field("of the requests, as text", label="Body", code="line", placeholder="none"),
    ] = None
    body_bytes: Annotated[
        Annotated[int, Field(ge=0, le=64 << 20)] | None,
        field("size of a body that is made up, instead of body", label="Body size", unit="B", placeholder="none"),
    ] = None
    script: Annotated[
        Annotated[str, Field(max_length=65_536)] | None,
        field(
            "Lua for wrk; the owner of the host must allow it",
            label="Lua script",
            code="lua",
            note="For wrk. A host runs scripts only if its owner allows it.",
        ),
    ] = None
    keep_alive: Annotated[
        bool, field("keep connections open; otherwise one for each request", label="Keep connections alive")
    ] = True
    probe: Annotated[
        bool,
        field(
            "the stream only observes what others cause; totals leave it out",
            label="Latency probe",
            note="Measures latency while the other streams load nginx. The trial's totals exclude it.",
        ),
    ] = False
    served_statuses: Annotated[
        StatusList,
        field("responses with these statuses serve a request; only they count in rates and latencies", min_length=1),
    ] = list(SERVED)
    rejected_statuses: Annotated[
        StatusList, field("responses that reject a request as the experiment expects, such as 429: no errors")
    ] = []
    open_loop: Annotated[OpenLoop | None, field("what the engine open-loop is told")] = None
    idle_hold: Annotated[IdleHold | None, field("what the engine idle-hold is told")] = None

    @property
    def capacity(self) -> Capacity | None:
        """The search of a stream that looks for its highest rate."""
        return self.open_loop.capacity if self.open_loop is not None else None

    @property
    def curve(self) -> Curve | None:
        """The rates of a stream that shows throughput and latency at each of several."""
        return self.open_loop.curve if self.open_loop is not None else None

    @property
    def loop(self) -> Loop:
        """Its engine's; closed also where a curve counts connections."""
        return "closed" if self.curve is not None and self.curve.connections else ENGINES[self.engine].loop

    @property
    def engine_sections(self) -> Mapping[str, EngineSection]:
        """Those that are given, by name; in a sound definition only that of the stream's own engine."""
        sections: dict[str, EngineSection | None] = {name: getattr(self, name) for name in SECTIONS}
        return {name: section for name, section in sections.items() if section is not None}
