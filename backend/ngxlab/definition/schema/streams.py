"""The load: each stream is one load generator."""

from collections.abc import Mapping
from typing import Annotated

from ngxlab_contracts.engines import DEFAULT_ENGINE, SECTIONS, EngineName
from ngxlab_contracts.statuses import SERVED, StatusList
from ngxlab_contracts.streams import PathChoice
from pydantic import Field

from ngxlab.definition.schema.base import DefinitionModel, Key, Templated, Within
from ngxlab.definition.schema.loads import EngineSection, IdleHold, OpenLoop

GENERATOR_SLOT = "generator"


class Stream(DefinitionModel):
    """One load generator, on the host that plays ``slot``. Times count from the start of warm-up.

    ``threads``: wrk's threads, or the open loop's processes. ``probe``: a stream at a low rate that only observes what
    the other streams cause; the totals leave it out. ``paths`` (wrk only): many paths instead of ``path``.
    ``served_statuses``: a response with another status serves nobody, and is in no rate and no latency;
    ``rejected_statuses``: those of them that the experiment expects, so that they are no errors.
    ``open_loop`` and ``idle_hold`` belong to the engine of that name.
    """

    key: Key
    engine: EngineName = DEFAULT_ENGINE
    slot: Key = GENERATOR_SLOT
    threads: Annotated[Templated, Within(1, 256)] = 1
    connections: Annotated[Templated, Within(1, 1_000_000)]
    timeout_s: Annotated[int, Field(ge=1, le=600)] = 30
    start_offset_s: Annotated[float, Field(ge=0, le=3600)] = 0
    duration_s: Annotated[float, Field(gt=0, le=3600)] | None = None
    path: Annotated[str, Field(pattern=r"^/\S*$", max_length=2000)] = "/"
    paths: PathChoice | None = None
    method: Annotated[str, Field(pattern=r"^[A-Z]{1,20}$")] = "GET"
    headers: dict[str, str] = {}
    body: Annotated[str, Field(max_length=65_536)] | None = None
    body_bytes: Annotated[int, Field(ge=0, le=64 << 20)] | None = None
    script: Annotated[str, Field(max_length=65_536)] | None = None
    keep_alive: bool = True
    probe: bool = False
    served_statuses: StatusList = Field(default=list(SERVED), min_length=1)
    rejected_statuses: StatusList = []
    open_loop: OpenLoop | None = None
    idle_hold: IdleHold | None = None

    @property
    def engine_sections(self) -> Mapping[str, EngineSection]:
        """Those that are given, by name; in a sound definition only that of the stream's own engine."""
        sections: dict[str, EngineSection | None] = {name: getattr(self, name) for name in SECTIONS}
        return {name: section for name, section in sections.items() if section is not None}
