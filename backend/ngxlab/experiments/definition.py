"""The definition of an experiment: what is compared, under which load, by which plan. Stored as JSON, versioned.

A value marked *templated* is a number, or a Jinja expression over the variables of an arm's levels such as
``{{ connections }}``; :mod:`ngxlab.experiments.resolve` turns it into a number for each arm.
"""

from functools import cached_property
from typing import Annotated, Literal

from ngxlab_contracts.trials import FileSet
from pydantic import BaseModel, ConfigDict, Field

LevelValue = str | int | float | bool
Key = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=60)]
ArmKey = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$", max_length=400)]
Templated = int | Annotated[str, Field(pattern=r"\{\{.*\}\}", max_length=200)]
TemplatedText = Annotated[str, Field(max_length=65_536)]

TARGET_SLOT = "target"
GENERATOR_SLOT = "generator"


class DefinitionPart(BaseModel):
    model_config = ConfigDict(extra="forbid")


# --- what is varied --------------------------------------------------------------------------------------------


class Level(DefinitionPart):
    """One value of a factor. ``variables`` is what it contributes: values, or whole configuration fragments."""

    key: Key
    label: Annotated[str, Field(min_length=1, max_length=120)]
    variables: dict[Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_]*$", max_length=60)], LevelValue] = {}


class Factor(DefinitionPart):
    key: Key
    label: Annotated[str, Field(min_length=1, max_length=120)]
    levels: Annotated[list[Level], Field(min_length=1, max_length=50)]


class ArmDefinition(DefinitionPart):
    """A combination of levels: factor key -> level key."""

    key: ArmKey
    label: Annotated[str, Field(min_length=1, max_length=400)]
    levels: dict[str, str]


class Exclusion(DefinitionPart):
    """Combinations that make no sense: those whose levels are all among the named ones."""

    when: Annotated[dict[str, Annotated[list[str], Field(min_length=1)]], Field(min_length=1)]
    reason: Annotated[str, Field(max_length=300)] = ""


class MatrixDesign(DefinitionPart):
    """Every combination of levels, less the excluded ones and the arms switched off.

    An arm's key is its levels' keys joined by dots, in the order of the factors.
    """

    kind: Literal["matrix"] = "matrix"
    exclude: list[Exclusion] = []
    off: list[ArmKey] = []


class ChosenDesign(DefinitionPart):
    """Only the named combinations."""

    kind: Literal["chosen"] = "chosen"
    arms: Annotated[list[ArmDefinition], Field(min_length=1, max_length=200)]


# --- what is run -----------------------------------------------------------------------------------------------


class NginxTemplate(DefinitionPart):
    """Fragments of nginx.conf (Jinja, over the variables of an arm's levels).

    ngxlab itself writes the rest: process, pid, error log, temp paths, listeners, TLS and the status server.
    Which directives each fragment may hold is the allow-list of :mod:`ngxlab.experiments.nginx_policy`.
    ``http`` may define upstreams: ``{{ backend("KEY") }}`` inside ``upstream`` stands for a backend's servers.
    """

    workers: Templated
    worker_connections: Templated
    main: TemplatedText = ""
    events: TemplatedText = ""
    http: TemplatedText = ""
    listen_options: Annotated[str, Field(max_length=500)] = ""
    server: TemplatedText
    tls: bool = False
    files: list[FileSet] = []


class Backend(DefinitionPart):
    """An upstream server: an nginx of its own with ``instances`` ports, on the host that plays ``slot``."""

    key: Key
    slot: Key
    instances: Annotated[int, Field(ge=1, le=1000)] = 1
    server: TemplatedText


class Stream(DefinitionPart):
    """One load generator's part, on the host that plays ``slot``. Times count from the start of warm-up."""

    key: Key
    engine: Literal["wrk"] = "wrk"
    slot: Key = GENERATOR_SLOT
    threads: Templated
    connections: Templated
    timeout_s: Annotated[int, Field(ge=1, le=600)] = 30
    start_offset_s: Annotated[float, Field(ge=0, le=3600)] = 0
    duration_s: Annotated[float, Field(gt=0, le=3600)] | None = None
    path: Annotated[str, Field(pattern=r"^/\S*$", max_length=2000)] = "/"
    method: Annotated[str, Field(pattern=r"^[A-Z]{1,20}$")] = "GET"
    headers: dict[str, str] = {}
    body: Annotated[str, Field(max_length=65_536)] | None = None
    body_bytes: Annotated[int, Field(ge=0, le=64 << 20)] | None = None
    script: Annotated[str, Field(max_length=65_536)] | None = None
    keep_alive: bool = True


# --- how often and until when ----------------------------------------------------------------------------------


class FixedBlocks(DefinitionPart):
    kind: Literal["fixed"] = "fixed"


class UntilPrecise(DefinitionPart):
    """Add blocks until the 95 % interval of ``metric`` is within ± ``half_width_percent`` for every arm."""

    kind: Literal["precision"] = "precision"
    metric: Literal["requests_per_s", "latency_p50_us", "latency_p99_us"]
    half_width_percent: Annotated[float, Field(gt=0, le=100)]
    max_blocks: Annotated[int, Field(ge=2, le=100)]


class Plan(DefinitionPart):
    """Randomised complete blocks: every block runs each arm once, in an order drawn from the run's seed."""

    blocks: Annotated[int, Field(ge=1, le=100)]
    warmup_s: Annotated[float, Field(ge=0, le=600)]
    measure_s: Annotated[float, Field(ge=1, le=3600)]
    cooldown_s: Annotated[float, Field(ge=0, le=600)] = 1.0
    interval_ms: Annotated[int, Field(ge=100, le=60_000)] = 1000
    stop: Annotated[FixedBlocks | UntilPrecise, Field(discriminator="kind")] = FixedBlocks()


class TemplateOrigin(DefinitionPart):
    key: str
    parameters: dict[str, LevelValue]


class Definition(DefinitionPart):
    """Everything a run needs, except the hosts and the seed.

    ``thresholds`` make a run pass or fail, e.g. ``p99_ms < 20`` or ``requests_per_s ratio > 0.98``; see
    :mod:`ngxlab.experiments.thresholds`. ``placement`` pins slots to CPUs: ``auto`` where roles share a host,
    ``none``, or a kernel CPU list for each slot.
    """

    schema_version: Literal[1] = 1
    question: Annotated[str, Field(max_length=2000)]
    template: TemplateOrigin | None = None
    factors: Annotated[list[Factor], Field(max_length=10)]
    design: Annotated[MatrixDesign | ChosenDesign, Field(discriminator="kind")] = MatrixDesign()
    baseline: ArmKey
    nginx: NginxTemplate
    backends: Annotated[list[Backend], Field(max_length=50)] = []
    streams: Annotated[list[Stream], Field(min_length=1, max_length=50)]
    plan: Plan
    thresholds: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=50)] = []
    placement: Literal["auto", "none"] | dict[Key, Annotated[str, Field(pattern=r"^\d+(-\d+)?(,\d+(-\d+)?)*$")]] = (
        "auto"
    )

    @cached_property
    def arms(self) -> list[ArmDefinition]:
        """The combinations that run, in the order of the factors' levels."""
        from ngxlab.experiments.design import arms_of  # noqa: PLC0415 (the design is rules about this model)

        return arms_of(self.factors, self.design)

    @property
    def slots(self) -> list[str]:
        """The parts hosts play: the target first, then where streams and backends run."""
        named = [TARGET_SLOT, *(stream.slot for stream in self.streams), *(backend.slot for backend in self.backends)]
        return list(dict.fromkeys(named))

    def arm(self, key: str) -> ArmDefinition:
        return next(arm for arm in self.arms if arm.key == key)

    def variables(self, arm: ArmDefinition) -> dict[str, LevelValue]:
        """The values an arm's levels contribute to templates."""
        merged: dict[str, LevelValue] = {}
        for factor in self.factors:
            for level in factor.levels:
                if arm.levels.get(factor.key) == level.key:
                    merged.update(level.variables)
        return merged

    def trial_seconds(self) -> float:
        """One trial's phases; starting and stopping nginx adds less than half a second."""
        return self.plan.warmup_s + self.plan.measure_s + self.plan.cooldown_s

    def total_seconds(self) -> float:
        return self.trial_seconds() * self.plan.blocks * len(self.arms)
