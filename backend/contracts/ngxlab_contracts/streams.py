"""What a load generator must do: fields that all engines share, and fields of a single engine."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import accumulate
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from ngxlab_contracts.base import ExactMessage, Message
from ngxlab_contracts.engines import ENGINES, SECTIONS, EngineName, HttpVersion, Loop
from ngxlab_contracts.fields import SEED, field
from ngxlab_contracts.gaps import LONGEST_TEXT, PATTERN, TICKS_PER_S, mean_per_s, ticks_of
from ngxlab_contracts.protocol import since
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.statuses import SERVED, StatusList, covers

REQUESTS_AT_ONCE = 100
"""Requests on one connection of HTTP/2 where nothing else is said; nginx allows 128."""

Arrivals = Literal["constant", "poisson"]
CurveOrder = Literal["random", "ascending"]
GoalBound = Literal["p50_ms", "p90_ms", "p99_ms", "p999_ms", "errors_percent"]
"""What a goal may bound."""
FEWEST_RATES, MOST_RATES = 3, 40
"""Bounds on the rates of a curve."""
MOST_REPLAYED_PER_S = 1_000_000
"""Bound on the rate of a log that is replayed."""


class RateStep(Message):
    """``per_s`` requests a second for ``duration_s``; with ``to_per_s`` the rate changes linearly to that value."""

    per_s: Annotated[float, Field(ge=0, le=10_000_000)]
    to_per_s: Annotated[float, Field(ge=0, le=10_000_000)] | None = None
    duration_s: Annotated[float, Field(gt=0, le=86_400)]


class CapacityGoal(Message):
    """What a rate must meet: bounds on latency, from the instant at which a request was due, and on the share of
    requests that were not served. Those that are ``None`` are not asked for; one at least is."""

    model_config = ConfigDict(json_schema_extra=since(3))

    p50_ms: Annotated[float, Field(gt=0, le=600_000)] | None = None
    p90_ms: Annotated[float, Field(gt=0, le=600_000)] | None = None
    p99_ms: Annotated[float, Field(gt=0, le=600_000)] | None = None
    p999_ms: Annotated[float, Field(gt=0, le=600_000)] | None = None
    errors_percent: Annotated[float, Field(ge=0, le=100)] | None = None

    @model_validator(mode="after")
    def _has_a_bound(self) -> Self:
        if all(bound is None for bound in (self.p50_ms, self.p90_ms, self.p99_ms, self.p999_ms, self.errors_percent)):
            raise ValueError("a goal needs a bound on latency or on errors")
        return self


class CapacitySpec(Message):
    """A search for the highest rate that meets ``goal``, between two rates, in requests a second. The warm-up runs at
    ``from_per_s``; the search fills the measured window."""

    model_config = ConfigDict(json_schema_extra=since(3))

    goal: CapacityGoal
    from_per_s: Annotated[float, Field(gt=0, le=10_000_000)]
    to_per_s: Annotated[float, Field(gt=0, le=10_000_000)]

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.to_per_s <= self.from_per_s:
            raise ValueError("to_per_s is not more than from_per_s")
        return self


class CurveSpec(Message):
    """Rates that one trial tries, requests a second, each for the same part of the measured window: from the lowest up,
    or in an order that is drawn for each trial. The warm-up runs at the lowest. Instead of rates, numbers of
    ``connections``, each of which sends its next request as soon as the last one is answered (a closed loop)."""

    model_config = ConfigDict(json_schema_extra=since(3))

    rates_per_s: list[Annotated[float, Field(gt=0, le=10_000_000)]] = Field(default=[], max_length=MOST_RATES)
    order: CurveOrder = "random"
    connections: list[Annotated[int, Field(ge=1, le=1_000_000)]] = Field(
        default=[], max_length=MOST_RATES, json_schema_extra=since(6)
    )

    @model_validator(mode="after")
    def _has_points(self) -> Self:
        if bool(self.rates_per_s) == bool(self.connections):
            raise ValueError("give either rates_per_s or connections")
        if len(self.points) < FEWEST_RATES:
            raise ValueError(f"a curve has {FEWEST_RATES} points at least")
        return self

    @property
    def points(self) -> list[float]:
        """What is tried: rates, or numbers of connections."""
        return [*self.rates_per_s, *self.connections]


class ReplaySpec(Message):
    """The instants of a log. ``gaps``: from each request to the next (:mod:`ngxlab_contracts.gaps`), and from the last
    one to the first of the next round; all are divided by ``speed``."""

    model_config = ConfigDict(json_schema_extra=since(5))

    gaps: Annotated[str, Field(pattern=PATTERN, max_length=LONGEST_TEXT)]
    speed: Annotated[float, Field(gt=0, le=1000)] = 1

    @model_validator(mode="after")
    def _can_be_followed(self) -> Self:
        """Only a round that is shorter than a second may be too fast: the longest has no more than a tenth as many."""
        if self.mean_per_s > MOST_REPLAYED_PER_S:
            raise ValueError(f"more than {MOST_REPLAYED_PER_S:,} requests a second come")
        return self

    @property
    def requests(self) -> int:
        """In a round."""
        return len(ticks_of(self.gaps))

    @property
    def mean_per_s(self) -> float:
        """Requests a second."""
        return mean_per_s(self.gaps, self.speed)

    @property
    def instants_s(self) -> list[float]:
        """When requests are due, from the stream's start; the last one is the first of the next round."""
        ticks = accumulate(ticks_of(self.gaps), initial=0)
        return [tick / TICKS_PER_S / self.speed for tick in ticks]

    @cached_property
    def busiest_per_s(self) -> float:
        """Requests in the second that has the most; on average, where a round is shorter than that."""
        instants = self.instants_s
        if instants[-1] < 1:
            return self.mean_per_s
        first = most = 0
        for last, instant in enumerate(instants[:-1]):
            while instants[first] <= instant - 1:
                first += 1
            most = max(most, last + 1 - first)
        return most


class OpenLoopSpec(Message):
    """When requests are due, whether or not earlier ones have been answered.

    ``steps`` follow one another from the stream's start; the rate at the end of the last one then stays constant.
    With ``capacity`` or ``curve`` there are none: the agent sets the rates; with ``replay``, a log has set the
    instants. ``arrivals``: evenly spaced, or a Poisson process of that rate drawn with ``seed``. A request without a
    free connection waits in a backlog; its latency still counts from the instant at which it was due.
    """

    steps: Annotated[list[RateStep], Field(max_length=100)]
    arrivals: Arrivals = "constant"
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 1
    capacity: Annotated[CapacitySpec | None, Field(json_schema_extra=since(3))] = None
    curve: Annotated[CurveSpec | None, Field(json_schema_extra=since(3))] = None
    replay: Annotated[ReplaySpec | None, Field(json_schema_extra=since(5))] = None

    @model_validator(mode="after")
    def _has_rates(self) -> Self:
        if [bool(self.steps), *(part is not None for part in (self.capacity, self.curve, self.replay))].count(
            True
        ) != 1:
            raise ValueError("give one of steps, capacity, curve and replay")
        return self

    @property
    def highest_per_s(self) -> float:
        if self.replay is not None:
            return self.replay.busiest_per_s
        if self.capacity is not None:
            return self.capacity.to_per_s
        if self.curve is not None:
            return max(self.curve.rates_per_s, default=0)
        return max(max(step.per_s, step.to_per_s or 0) for step in self.steps)


class IdleHoldSpec(Message):
    """Connections opened at a constant rate and then held. Each repeatedly sleeps for a random time between
    ``think_min_s`` and ``think_max_s`` (uniform) and then sends a request. A connection that the server closes is
    reopened and counted."""

    connect_per_s: Annotated[float, Field(gt=0, le=1_000_000)]
    think_min_s: Annotated[float, Field(ge=0, le=86_400)] = 1
    think_max_s: Annotated[float, Field(gt=0, le=86_400)]
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 1

    @model_validator(mode="after")
    def _span_is_rising(self) -> Self:
        if self.think_max_s < self.think_min_s:
            raise ValueError("think_max_s is less than think_min_s")
        return self


class PathChoice(ExactMessage):
    """Each request takes one of ``count`` paths: ``pattern`` with ``{n}`` drawn uniformly from 0 to ``count`` - 1."""

    pattern: Annotated[
        str,
        field(
            "a path in which {n} becomes a number, drawn uniformly for each request",
            pattern=r"^/[^\s{}]*\{n\}[^\s{}]*$",
            max_length=2000,
            label="Paths",
            code="line",
        ),
    ]
    count: Annotated[int, field("how many numbers there are, from 0 on", ge=1, le=10_000_000, label="n below")]
    seed: Annotated[int, field(SEED, ge=0, le=2**31, label="Seed")] = 1


HOST_NAME = r"^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$"
Draw = Literal["uniform", "zipf", "sequence"]
MOST_REQUESTS = 10_000
"""In a mix."""
MOST_MIXED_BYTES = 64 << 20
"""The bodies of a mix together."""
LONGEST_NUMBERED_BODY = 65_536
"""Bytes of a request with ``{n}``, which every connection that sends one holds a copy of."""


class MixedRequest(ExactMessage):
    """One entry of a mix: each request of the stream is one of them, drawn by ``weight``. ``{n}`` in ``path`` becomes a
    number from 0 to ``count`` - 1; of ``zipf``, number n is drawn with a probability like (n + 1) ** -``exponent``."""

    model_config = ConfigDict(json_schema_extra=since(3))

    weight: Annotated[float, field("how often it is drawn, relative to the others", gt=0, le=1e12, label="Weight")] = 1
    method: Annotated[str, field("of the request", pattern=r"^[A-Z]{1,20}$", label="Method", code="line")] = "GET"
    path: Annotated[
        str,
        field(
            "what is requested; {n} in it becomes a number",
            pattern=r"^/[^\s{}]*(\{n\}[^\s{}]*)?$",
            max_length=2000,
            label="Path",
            code="line",
        ),
    ]
    count: Annotated[
        Annotated[int, Field(ge=1, le=10_000_000_000)] | None,
        field("how many numbers there are for {n}, from 0 on", label="n below", placeholder="none"),
    ] = None
    draw: Annotated[
        Draw,
        field(
            "how the number is drawn: uniform, each alike; zipf, the smaller the more often; sequence, one after the "
            "other, from 0 again after the last",
            label="Draw n",
            choices={"uniform": "Uniform", "zipf": ("Zipf",), "sequence": "In sequence"},
        ),
    ] = "uniform"
    exponent: Annotated[
        float,
        field("of zipf: number n is as frequent as (n + 1) to the power of minus this", gt=0, le=10, label="Exponent"),
    ] = 1
    headers: dict[str, str] = field("of this request, besides those of the stream, by name", default={})
    body: Annotated[
        Annotated[str, Field(max_length=65_536)] | None,
        field("of this request, as text", label="Body", code="line", placeholder="none"),
    ] = None
    body_bytes: Annotated[
        Annotated[int, Field(ge=0, le=MOST_MIXED_BYTES)] | None,
        field("size of a body that is made up, instead of body", label="Body size", unit="B", placeholder="none"),
    ] = None

    @property
    def numbered(self) -> bool:
        return "{n}" in self.path

    @property
    def size_of_body(self) -> int:
        """Bytes."""
        return len(self.body.encode()) if self.body is not None else self.body_bytes or 0

    def problems(self) -> Iterator[tuple[str, Sentence]]:
        """What is wrong: the field, and a message."""
        if self.numbered and self.count is None:
            yield "count", say("is missing: the path has {place}", place="{n}")
        if not self.numbered and self.count is not None:
            yield "path", say("has no {place}, so that count means nothing", place="{n}")
        if self.body is not None and self.body_bytes is not None:
            yield "body_bytes", say("a request has either body or body_bytes, not both")
        elif self.numbered and self.size_of_body > LONGEST_NUMBERED_BODY:
            yield (
                "body_bytes",
                say(
                    "is more than the {most:,} B that a request with {place} may have",
                    most=LONGEST_NUMBERED_BODY,
                    place="{n}",
                ),
            )


TlsVersion = Literal["any", "1.2", "1.3"]
TlsGroup = Literal["any", "x25519", "p-256", "p-384", "x25519mlkem768"]
TlsCipher = Literal["any", "aes128-gcm", "aes256-gcm", "chacha20-poly1305"]
TlsSessions = Literal["tickets", "ids"]


class TlsClientSpec(Message):
    """What clients bring to TLS. ``resumed_percent``: of their handshakes, how many offer the session of an earlier
    one; the others are full ones. ``early_data_percent``: of those that offer one, how many send their request with
    their first message (0-RTT; HTTP/1.1 over TLS 1.3, without keep-alive). ``sessions``: whether nginx keeps them in
    tickets, or by ids of TLS 1.2. ``version``: of TLS. ``group``: how keys are agreed on. ``cipher``: how the traffic
    is encrypted. What is ``any`` is left to OpenSSL and nginx. ``server_name``: the name that the handshake asks for
    (SNI)."""

    model_config = ConfigDict(json_schema_extra=since(4))

    resumed_percent: Annotated[float, Field(ge=0, le=100)] = 0
    early_data_percent: Annotated[float, Field(ge=0, le=100, json_schema_extra=since(7))] = 0
    sessions: TlsSessions = "tickets"
    version: TlsVersion = "any"
    group: TlsGroup = "any"
    cipher: TlsCipher = "any"
    server_name: Annotated[str, Field(pattern=HOST_NAME, max_length=253)] | None = None


class ClientSpec(Message):
    """How the clients of a stream behave. ``read_bytes_per_s``, ``send_bytes_per_s``: how fast they read answers and
    send requests, before TLS; ``None``: as fast as they can. ``abort_percent``: of the requests,
    those whose client goes away unless the whole answer has come ``abort_after_s`` after the request was sent.
    ``round_trip_ms``: of the line between them and nginx. All but that is for HTTP/1.1."""

    model_config = ConfigDict(json_schema_extra=since(5))

    read_bytes_per_s: Annotated[float, Field(ge=1, le=1_000_000_000)] | None = None
    send_bytes_per_s: Annotated[float, Field(ge=1, le=1_000_000_000)] | None = None
    abort_percent: Annotated[float, Field(ge=0, le=100)] = 0
    abort_after_s: Annotated[float, Field(ge=0, le=600)] = 0
    round_trip_ms: Annotated[float, Field(ge=0, le=10_000)] = 0

    @property
    def is_patient(self) -> bool:
        """Whether they read and send as fast as they can, and stay."""
        return self.read_bytes_per_s is None and self.send_bytes_per_s is None and not self.abort_percent


LARGEST_MESSAGE = 1 << 20
"""Bytes of a message of WebSocket."""
UPGRADE: Mapping[str, str] = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
"""Headers of the handshake (RFC 6455, 4.1), the same for all connections."""
SWITCHED = 101
"""The status by which it is answered."""


class WebSocketSpec(Message):
    """The stream's connections are WebSockets, held from before its start. Each of its requests is a message, and the
    next message that comes on its connection answers it. ``message_bytes``: size of each, without its frame."""

    model_config = ConfigDict(json_schema_extra=since(8))

    message_bytes: Annotated[int, Field(ge=0, le=LARGEST_MESSAGE)] = 64


class StreamSpec(Message):
    """What one load generator does in a trial. Offsets and durations count from the start of warm-up.

    ``threads``: wrk's threads, or the open loop's processes; idle-hold chooses its own number. ``duration_s`` None:
    until the end of the measured window. ``paths`` (wrk only) replaces ``path``, and so does
    ``requests`` (open-loop only), with method and body: each request is one of them, with the stream's headers and its
    own. ``script``: Lua for wrk, run in a
    sandbox. ``probe``: the stream only observes what the other streams cause; the trial's totals leave it out.
    ``served_statuses``: a response with any other status serves nobody, and counts in no rate and no latency.
    ``rejected_statuses``: of those others, the ones that the experiment expects; the rest are errors.
    ``protocol_varies``: the arms differ in what it speaks, so that an older version than nginx offers is on purpose.
    ``requests_at_once``: how many requests a connection carries at the same time at most (HTTP/2, HTTP/3).
    ``tls_client``: what its clients bring to TLS, where that is said (open-loop only). ``client``: how slow they are,
    and how many go away (open-loop, HTTP/1.1). ``websocket``: its requests are messages (open-loop, HTTP/1.1).
    """

    key: str
    engine: EngineName
    threads: Annotated[int, Field(ge=1, le=256)]
    connections: Annotated[int, Field(ge=1, le=1_000_000)]
    timeout_s: Annotated[int, Field(ge=1, le=600)] = 30
    start_offset_s: Annotated[float, Field(ge=0, le=86_400)] = 0
    duration_s: Annotated[float, Field(gt=0, le=86_400)] | None = None
    path: str = "/"
    paths: PathChoice | None = None
    requests: list[MixedRequest] = Field(default=[], max_length=MOST_REQUESTS, json_schema_extra=since(3))
    requests_seed: Annotated[int, Field(ge=0, le=2**53, json_schema_extra=since(3))] = 1
    method: Annotated[str, Field(pattern=r"^[A-Z]{1,20}$")] = "GET"
    headers: dict[str, str] = Field(default_factory=dict)
    body: Annotated[str, Field(max_length=65_536)] | None = None
    body_bytes: Annotated[int, Field(ge=0, le=64 << 20)] | None = None
    script: Annotated[str, Field(max_length=65_536)] | None = None
    keep_alive: bool = True
    tls: bool = False
    cpus: str | None = None
    protocol: HttpVersion = Field(default="http/1.1", json_schema_extra=since(2))
    protocol_varies: bool = Field(default=False, json_schema_extra=since(2))
    requests_at_once: Annotated[int, Field(ge=1, le=1000, json_schema_extra=since(2))] = REQUESTS_AT_ONCE
    tls_client: TlsClientSpec | None = Field(default=None, json_schema_extra=since(4))
    client: ClientSpec | None = Field(default=None, json_schema_extra=since(5))
    websocket: WebSocketSpec | None = Field(default=None, json_schema_extra=since(8))
    probe: bool = False
    served_statuses: StatusList = Field(default=list(SERVED), min_length=1)
    rejected_statuses: StatusList = Field(default=[])
    open_loop: OpenLoopSpec | None = None
    idle_hold: IdleHoldSpec | None = None

    def expects(self, status: int) -> bool:
        """Whether a response with this status is no error."""
        if self.websocket is not None:
            return status == SWITCHED
        return covers([*self.served_statuses, *self.rejected_statuses], status)

    def singly(self, most: int) -> list["StreamSpec"]:
        """The stream as it would be with one request only; of a mix, for each of the ``most`` frequent of them."""
        if not self.requests:
            return [self]
        return [self.alone(one) for one in sorted(self.requests, key=lambda one: -one.weight)[:most]]

    @property
    def typical(self) -> "StreamSpec":
        """The stream with its most frequent request only."""
        return self.singly(1)[0]

    @property
    def asked_headers(self) -> dict[str, str]:
        """With those of a handshake of WebSocket."""
        return self.headers if self.websocket is None else {**UPGRADE, **self.headers}

    @property
    def asked_path(self) -> str:
        """As it is written, with ``{n}`` where numbers are drawn; of a mix, the most frequent one."""
        one = self.typical
        return one.paths.pattern if one.paths is not None else one.path

    def alone(self, one: MixedRequest) -> "StreamSpec":
        """The stream with one request of its mix only."""
        numbers = PathChoice.model_construct(pattern=one.path, count=one.count or 1, seed=1) if one.numbered else None
        path = "/" if one.numbered else one.path
        changes: dict[str, object] = {"path": path, "paths": numbers, "requests": [], "headers": self.with_headers(one)}
        kept = {name: getattr(one, name) for name in ("method", "body", "body_bytes")}
        return self.model_copy(update=changes | kept)

    def with_headers(self, one: MixedRequest) -> dict[str, str]:
        """The headers of a request of the mix: its own replace those of the stream."""
        own = {name.lower() for name in one.headers}
        return {name: value for name, value in self.headers.items() if name.lower() not in own} | one.headers

    @property
    def planned_rate_per_s(self) -> float:
        """Requests, or new connections, a second at most; 0 for an engine that is as fast as the answers."""
        if self.open_loop is not None:
            return self.open_loop.highest_per_s
        return self.idle_hold.connect_per_s if self.idle_hold is not None else 0

    @property
    def searches_for(self) -> CapacitySpec | None:
        """The search of a stream that looks for its highest rate, and therefore has none that is planned."""
        return self.open_loop.capacity if self.open_loop is not None else None

    @property
    def draws_curve(self) -> CurveSpec | None:
        """The rates of a stream that shows how nginx answers at each of several."""
        return self.open_loop.curve if self.open_loop is not None else None

    @property
    def loop(self) -> Loop:
        """Its engine's; closed also where a curve counts connections."""
        if self.draws_curve is not None and self.draws_curve.connections:
            return "closed"
        return ENGINES[self.engine].loop

    @property
    def replays(self) -> ReplaySpec | None:
        """The log whose instants the stream repeats, so that its rate moves by plan."""
        return self.open_loop.replay if self.open_loop is not None else None

    @property
    def is_steered(self) -> bool:
        """Whether the agent sets the rates as it goes: no single rate is that of the trial."""
        return self.searches_for is not None or self.draws_curve is not None

    @property
    def planned_steps(self) -> list[tuple[float, float]]:
        """The rate at the beginning and at the end of each step of the plan; none for an engine without steps."""
        steps = self.open_loop.steps if self.open_loop is not None else []
        return [(step.per_s, step.per_s if step.to_per_s is None else step.to_per_s) for step in steps]

    @model_validator(mode="after")
    def _has_the_connections_of_its_curve(self) -> Self:
        if self.draws_curve is not None and max(self.draws_curve.connections, default=0) > self.connections:
            raise ValueError(f"stream {self.key}: its curve has more connections than it opens")
        return self

    @model_validator(mode="after")
    def _has_its_engines_section(self) -> Self:
        for section, engine in SECTIONS.items():
            if (self.engine == engine.key) != (getattr(self, section) is not None):
                raise ValueError(f"stream {self.key}: {section} belongs to engine {engine.key} only")
        return self
