"""Payloads of the designer: what a definition would run, and everything that is wrong with it."""

from typing import Annotated, Any, Literal

from ngxlab_contracts.sentences import Sentence, say
from pydantic import BaseModel, Field, model_validator

from ngxlab.core.payload import Payload
from ngxlab.definition.problems import DefinitionProblem
from ngxlab.definition.schema.base import ExperimentName
from ngxlab.definition.schema.definition import Definition

MAX_YAML_CHARACTERS = 300_000

RawDefinition = dict[str, Any]
"""A definition as the editor has it, perhaps broken; a valid one is a ``Definition``."""
YamlText = Annotated[str, Field(max_length=MAX_YAML_CHARACTERS)]


class ImportRequest(Payload):
    """``name`` takes precedence over the name in the document."""

    yaml: YamlText
    name: ExperimentName | None = None


class DefinitionPreviewRequest(Payload):
    """The definition as an object, or as a YAML document."""

    definition: RawDefinition | None = None
    yaml: YamlText | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> "DefinitionPreviewRequest":
        if (self.definition is None) == (self.yaml is None):
            raise ValueError(say("give either definition or yaml"))
        return self


class ArmPreview(BaseModel):
    """An arm with its rendered nginx.conf; values that only the host knows are written as ``@@name@@``."""

    key: str
    label: str
    levels: dict[str, str]
    config: str


class PlanPreview(BaseModel):
    """``trials``: in all. ``heat_trials``: those that choose arms, before the blocks. ``block_arms``: how many arms
    each block has. ``full_trials``, ``full_s``: of all arms in all blocks, which a choice spares."""

    blocks: int
    arms: int
    trials: int
    heat_trials: int
    block_arms: int
    full_trials: int
    full_s: float
    warmup_s: float
    measure_s: float
    cooldown_s: float
    total_s: float


class Combination(BaseModel):
    """A cell of the matrix. ``reason``: the reason that the exclusion gives, for an excluded combination."""

    key: str
    label: str
    levels: dict[str, str]
    state: Literal["on", "off", "excluded"]
    reason: str | None


class StreamWindow(BaseModel):
    """When a stream runs within a trial; seconds from the start of warm-up."""

    key: str
    slot: str
    start_s: float
    end_s: float


class PerturbationWindow(BaseModel):
    """When a perturbation acts in the arms named, in seconds from the start of warm-up.

    Once: ``end_s`` equals ``start_s``. Repeatedly: every ``every_s`` from ``start_s`` and before ``end_s``, in total
    ``actions`` times. During an interval: one action from ``start_s`` to ``end_s``.
    """

    key: str
    slot: str
    action: str
    start_s: float
    end_s: float
    every_s: float | None
    actions: int
    arms: list[str]


class DesignPlan(PlanPreview):
    """The plan as a timeline. ``blocks`` and ``max_blocks`` differ only with a stop rule that may add blocks.

    ``outlook``: what a search for the capacity, a curve or the choice among many arms takes and finds, in sentences."""

    trial_s: float
    max_blocks: int
    max_trials: int
    max_total_s: float
    streams: list[StreamWindow]
    perturbations: list[PerturbationWindow]
    outlook: list[Sentence] = []


class SlotNeeds(BaseModel):
    """What the host that plays ``slot`` needs in the most demanding arm.

    ``connections``: sockets that it opens or accepts at once. ``processes``: nginx workers, processes of upstream
    servers and threads of generators.
    """

    slot: str
    roles: list[Literal["target", "generator", "upstream"]]
    streams: list[str]
    upstream_servers: list[str]
    connections: int
    processes: int
    files_bytes: int


class MetricChoice(BaseModel):
    """A metric as ``plan.primary`` names it, and its title."""

    name: str
    title: str


class PrimaryPreview(BaseModel):
    """``metrics``: those that may be primary. ``defaults``: those that are, in their order, if the plan names none.
    ``differing``: names of directives in which arms differ; ``proposed``: the metrics that show it, none where the
    directives speak of none."""

    metrics: list[MetricChoice]
    defaults: list[str]
    differing: list[str] = []
    proposed: list[str] = []


class DefinitionPreview(BaseModel):
    """What a definition would run. Everything that can be computed is included, even if there are ``problems``.

    ``warnings``: what can be run, but may not be what is meant, such as arms that are the same.
    """

    problems: list[DefinitionProblem]
    warnings: list[DefinitionProblem] = []
    definition: Definition | None
    baseline: str | None
    matrix: list[Combination]
    arms: list[ArmPreview]
    plan: DesignPlan | None
    slots: list[SlotNeeds]
    primary: PrimaryPreview | None = None
