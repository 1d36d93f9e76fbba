"""A recipe: an everyday question, the experiment that answers it, and what should come out of it."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal, get_args

from ngxlab_contracts.hosts import Inventory
from pydantic import BaseModel, ConfigDict, Field

from ngxlab.analysis.schemas import MetricKey
from ngxlab.definition.schema.base import ExperimentName
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.templates.needs import Cores, Feature, Need, NeedInfo, NeedResult, NginxModule, NginxOption, NginxSince

RecipeKind = Literal[
    "compression", "connections", "upstream servers", "caching", "files", "TLS", "limits", "workers", "configuration"
]
"""What a question is about, in the order of the gallery."""
KINDS: tuple[RecipeKind, ...] = get_args(RecipeKind)

COUNTED: frozenset[MetricKey] = frozenset(
    {
        "response_bytes",
        "connections_per_1000_requests",
        "upstream_connections_per_1000_requests",
        "upstream_requests_per_1000_requests",
        "full_handshakes_per_1000_requests",
        "resumed_handshakes_percent",
        "write_syscalls_per_request",
        "rejected_percent",
    }
)
"""Metrics that a busy machine does not change: they are counts, and no times."""


class _Data(BaseModel):
    """A part of a recipe's file. Unknown fields are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RecipeSource(_Data):
    """Where the question, or an answer to it, comes from."""

    title: str
    url: str


class RecipeOutcome(_Data):
    """The one result that must have a sign: ``metric`` of ``arm`` is lower or higher than that of ``against``."""

    arm: str
    against: str
    metric: MetricKey
    sign: Literal["lower", "higher"]


class RecipeShown(_Data):
    """What the last recorded run of a recipe showed.

    ``recorded_on``: its day. ``nginx``: the version that ran; ``cpus``: of its host. ``values``: the outcome's metric
    by arm, the mean over the run's blocks. ``text`` and ``interval``: the arm of the outcome against the other, ready
    to print; ``holds``: whether its sign is the expected one. ``took_s``: from the start of the run to its end.
    """

    recorded_on: date
    nginx: str
    cpus: int
    values: dict[str, float]
    text: str
    interval: str | None
    holds: bool
    took_s: float


class RecipeNeed(_Data):
    """What a host must have: one of an nginx ``module``, an ``option`` of its build, a version of it (``since``; with
    ``beside_older`` an older one, too), a ``capability`` with a ``title``, or a number of ``cpus``."""

    slot: str = TARGET_SLOT
    module: str | None = None
    option: str | None = None
    since: str | None = None
    beside_older: bool = False
    capability: str | None = None
    title: str = ""
    cpus: int | None = None
    why: str
    remedy: str
    must: bool = True

    @property
    def need(self) -> Need:
        """Raises ValueError where it says none of them."""
        if self.module is not None:
            return NginxModule(slot=self.slot, module=self.module, why=self.why, remedy=self.remedy, must=self.must)
        if self.option is not None:
            return NginxOption(slot=self.slot, option=self.option, why=self.why, remedy=self.remedy, must=self.must)
        if self.since is not None:
            return NginxSince(
                slot=self.slot,
                version=self.since,
                beside_older=self.beside_older,
                why=self.why,
                remedy=self.remedy,
                must=self.must,
            )
        if self.capability is not None:
            return Feature(
                slot=self.slot,
                capability=self.capability,
                title=self.title,
                why=self.why,
                remedy=self.remedy,
                must=self.must,
            )
        if self.cpus is not None:
            return Cores(slot=self.slot, count=self.cpus, why=self.why, remedy=self.remedy, must=self.must)
        raise ValueError("a need names a module, an option, a version, a capability or a number of cpus")


class Recipe(_Data):
    """``title``: in a few words; ``question``: as a person would ask it; ``expectation``: what should happen, and why.
    ``words``: by which it is found, too. ``experiment``: what runs, without its question."""

    key: str
    title: ExperimentName
    question: str
    expectation: str
    kind: RecipeKind
    words: list[str] = []
    source: RecipeSource
    needs: list[RecipeNeed] = []
    outcome: RecipeOutcome
    experiment: Annotated[Definition, Field(repr=False)]
    shown: RecipeShown | None = None

    @property
    def seconds(self) -> float:
        """How long a run of it takes, by its plan."""
        return self.experiment.total_seconds()

    @property
    def need_infos(self) -> list[NeedInfo]:
        return [one.need.info for one in self.needs]

    def needs_on(self, inventory: Inventory, host: str) -> list[NeedResult]:
        """Its needs held against one host that plays every slot."""
        inventories: Mapping[str, Inventory] = dict.fromkeys(self.experiment.slots, inventory)
        return [one.need.check(inventories, host) for one in self.needs]
