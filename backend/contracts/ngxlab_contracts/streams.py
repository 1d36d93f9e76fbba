"""What a load generator has to do: the same for every engine, and what is each engine's own."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ngxlab_contracts.base import Message
from ngxlab_contracts.engines import SECTIONS, EngineName

Arrivals = Literal["constant", "poisson"]


class RateStep(Message):
    """``per_s`` requests a second for ``duration_s``; with ``to_per_s`` the rate moves evenly from one to the other."""

    per_s: Annotated[float, Field(ge=0, le=10_000_000)]
    to_per_s: Annotated[float, Field(ge=0, le=10_000_000)] | None = None
    duration_s: Annotated[float, Field(gt=0, le=86_400)]


class OpenLoopSpec(Message):
    """When requests are to be sent, whether or not earlier ones have been answered.

    ``steps`` follow each other from the stream's beginning; after the last one its last rate goes on. ``arrivals``:
    evenly spaced, or a Poisson process of that rate drawn from ``seed``. A request for which no connection is free
    waits in a backlog; its latency counts from the intended instant all the same.
    """

    steps: Annotated[list[RateStep], Field(min_length=1, max_length=100)]
    arrivals: Arrivals = "constant"
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 1


class IdleHoldSpec(Message):
    """Connections opened at a set rate and then held; each sleeps U[``think_min_s``, ``think_max_s``] and sends a
    request, again and again. A connection that the server closes is opened anew and counted."""

    connect_per_s: Annotated[float, Field(gt=0, le=1_000_000)]
    think_min_s: Annotated[float, Field(ge=0, le=86_400)] = 1
    think_max_s: Annotated[float, Field(gt=0, le=86_400)]
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 1

    @model_validator(mode="after")
    def _span_is_rising(self) -> Self:
        if self.think_max_s < self.think_min_s:
            raise ValueError("think_max_s is less than think_min_s")
        return self


class PathChoice(Message):
    """Each request goes to one of ``count`` paths, drawn evenly from ``seed``: ``pattern`` with ``{n}`` from 0 on."""

    pattern: Annotated[str, Field(pattern=r"^/[^\s{}]*\{n\}[^\s{}]*$", max_length=2000)]
    count: Annotated[int, Field(ge=1, le=10_000_000)]
    seed: Annotated[int, Field(ge=0, le=2**31)] = 1


class StreamSpec(Message):
    """One load generator's part in a trial. Offsets and durations count from the start of warm-up.

    ``threads``: wrk's threads, or the open loop's processes; idle-hold decides for itself. ``duration_s`` None: until
    the end of the measured window. ``paths`` (wrk only) stands instead of ``path``. ``script``: Lua for wrk, run in a
    sandbox. ``probe``: a bystander that only feels what the other streams do; the trial's totals are without it.
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
    method: Annotated[str, Field(pattern=r"^[A-Z]{1,20}$")] = "GET"
    headers: dict[str, str] = Field(default_factory=dict)
    body: Annotated[str, Field(max_length=65_536)] | None = None
    body_bytes: Annotated[int, Field(ge=0, le=64 << 20)] | None = None
    script: Annotated[str, Field(max_length=65_536)] | None = None
    keep_alive: bool = True
    tls: bool = False
    cpus: str | None = None
    probe: bool = False
    open_loop: OpenLoopSpec | None = None
    idle_hold: IdleHoldSpec | None = None

    @model_validator(mode="after")
    def _has_its_engines_section(self) -> Self:
        for section, engine in SECTIONS.items():
            if (self.engine == engine.key) != (getattr(self, section) is not None):
                raise ValueError(f"stream {self.key}: {section} belongs to engine {engine.key} only")
        return self
