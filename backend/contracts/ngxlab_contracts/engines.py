"""What each load engine is, as far as others need to know. They ask this description and never compare names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

EngineName = Literal["wrk", "open-loop", "idle-hold"]

HttpVersion = Literal["http/1.1", "http/2", "http/3"]
"""What a stream speaks. Over TLS, HTTP/2 is agreed on by ALPN; in clear the client just speaks it (RFC 9113, 3). HTTP/3
needs no Alt-Svc: the client just sends its datagrams to the port."""

HTTP_VERSIONS: tuple[HttpVersion, ...] = get_args(HttpVersion)

Loop = Literal["closed", "open", "hold"]
"""``closed``: a connection's next request waits for its last response. ``open``: requests leave when they are due,
answered or not, and latency counts from that instant. ``hold``: as closed, but connections mostly sleep."""

NATIVE_ENGINES = "native-engines"
"""Name of the capability to run ngxlab's own engines."""
CAPABILITY_FOR: Mapping[HttpVersion, str] = {"http/2": "http2-load", "http/3": "http3-load"}
"""The capability that a host needs besides, for a stream that speaks this version."""
HYBRID_GROUP = "x25519mlkem768"
"""The group of TLS that is safe from quantum computers as far as is known. OpenSSL has it from 3.5 on."""
CAPABILITY_FOR_HYBRID = "hybrid-tls"
"""The capability that a host needs for it."""


@dataclass(frozen=True)
class EngineDescription:
    """One engine. ``section``: the field of a stream that only this engine has, and that it needs.

    ``threads``: what a stream's number of that name counts; ``unused``: the engine decides how many processes it needs.
    A host can run the engine if ``program`` is among its inventory's ``engine_programs`` and it has ``capability``.
    """

    key: EngineName
    loop: Loop
    threads: Literal["threads", "processes", "unused"]
    section: Literal["open_loop", "idle_hold"] | None = None
    program: str | None = None
    capability: str | None = None
    draws_paths: bool = False
    """Takes many paths instead of one."""
    draws_requests: bool = False
    """Takes a mix: a list of requests, drawn by weight, instead of one."""
    runs_scripts: bool = False
    speaks_tls: bool = True
    speaks: tuple[HttpVersion, ...] = ("http/1.1",)
    resumes_tls: bool = False
    """Offers nginx the session of an earlier connection by itself; else every handshake is a full one, unless the
    stream says how many are resumed."""
    chooses_tls: bool = False
    """Takes what a stream says of its clients' TLS."""
    paces_clients: bool = False
    """Takes what a stream says of how slow its clients are, and how many go away."""
    holds_websockets: bool = False
    """Takes what a stream says of WebSocket: its connections are held, and carry messages."""
    tells_statuses: bool = True
    """Records latency by what a status means; else only how many responses had a status from 400 on."""
    drops_remainder: bool = False
    """Gives each thread connections / threads, rounded down, and does not open the rest."""
    uses_all_addresses: bool = False
    """Connects from every address of its host to every port of nginx; else from one address to the first port."""

    @property
    def rate_is_planned(self) -> bool:
        """The plan sets the rate of requests, so that it is no result."""
        return self.loop != "closed"

    def opened(self, connections: int, threads: int) -> int:
        """How many of the planned connections it opens."""
        return connections - connections % threads if self.drops_remainder else connections

    def processes(self, threads: int) -> int | None:
        """How many processes share a stream's connections; ``None``: as many as they need."""
        return {"threads": 1, "processes": threads, "unused": None}[self.threads]


_DESCRIPTIONS = (
    EngineDescription(
        "wrk",
        "closed",
        "threads",
        program="wrk",
        draws_paths=True,
        runs_scripts=True,
        resumes_tls=True,
        drops_remainder=True,
        tells_statuses=False,
    ),
    EngineDescription(
        "open-loop",
        "open",
        "processes",
        section="open_loop",
        draws_requests=True,
        capability=NATIVE_ENGINES,
        speaks=("http/1.1", "http/2", "http/3"),
        chooses_tls=True,
        paces_clients=True,
        holds_websockets=True,
    ),
    EngineDescription(
        "idle-hold",
        "hold",
        "unused",
        section="idle_hold",
        capability=NATIVE_ENGINES,
        speaks_tls=False,
        uses_all_addresses=True,
    ),
)

ENGINES: Mapping[EngineName, EngineDescription] = {engine.key: engine for engine in _DESCRIPTIONS}

SECTIONS: Mapping[str, EngineDescription] = {engine.section: engine for engine in _DESCRIPTIONS if engine.section}
"""The engines that have a section of their own in a stream, by its name."""

DEFAULT_ENGINE: EngineName = "wrk"
"""The engine of a stream that names none."""
