"""The definition of an experiment: what is compared, under which load, by which plan. Stored as JSON, versioned.

A value marked *templated* is a number, or a Jinja expression over the variables of an arm's levels such as
``{{ connections }}``; :mod:`ngxlab.experiments.resolve` turns it into a number for each arm. Streams, backends and
perturbations mirror the wire messages of ``ngxlab_contracts``, with templated numbers and keys instead of addresses.
"""

from functools import cached_property
from typing import Annotated, Literal

from ngxlab_contracts.streams import EngineName, PathChoice
from ngxlab_contracts.trials import ColdFiles, FileSet
from pydantic import Field

from ngxlab.experiments.definition_part import DefinitionPart, Key, Templated, TemplatedNumber, TemplatedText, Within
from ngxlab.experiments.loads import IdleHold, OpenLoop
from ngxlab.experiments.perturbations import Perturbation

LevelValue = str | int | float | bool
ArmKey = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$", max_length=400)]
TARGET_SLOT = "target"
GENERATOR_SLOT = "generator"


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


class UpstreamGroup(DefinitionPart):
    """``nodes`` servers, taken in turn from the instances of a backend.

    ``check`` None: as all groups are checked, see :class:`DynamicUpstreams`; a text that is empty: not at all.
    """

    key: Key
    nodes: Annotated[Templated, Within(1, 20_000)]
    backend: Key
    check: Annotated[TemplatedText, Field(max_length=200)] | None = None


class DynamicUpstreams(DefinitionPart):
    """Upstream groups that a churn changes while nginx runs. ``{{ upstream("KEY") }}`` is where to ``proxy_pass`` to.

    ``through``: ``lua`` serves the dyups API by Lua on a stock nginx, ``tengine`` is the real dyups module of a
    registered Tengine, ``reload`` rewrites the upstream file and reloads. Workers look for changes each
    ``read_interval_ms`` (``dyups_read_msg_timeout``). ``lock_us_per_node`` (Lua only) makes every worker hold one
    shared lock so long for each node of a change: that part is *simulated*, and every page says so. With ``trylock``
    a change that finds the lock taken is put off (409) and nobody waits. ``check`` (Tengine only): the arguments of
    its ``check`` directive, such as ``interval=3000 rise=2 fall=5 timeout=1000 type=tcp``; empty: no active checks.
    """

    through: Literal["lua", "tengine", "reload"]
    groups: Annotated[list[UpstreamGroup], Field(min_length=1, max_length=1000)]
    read_interval_ms: Annotated[Templated, Within(10, 60_000)] = 1000
    lock_us_per_node: Annotated[TemplatedNumber, Within(0, 100_000, whole=False)] = 0
    trylock: bool = False
    check: Annotated[TemplatedText, Field(max_length=200)] = ""


class NginxTemplate(DefinitionPart):
    """Fragments of nginx.conf (Jinja, over the variables of an arm's levels).

    ngxlab itself writes the rest: process, pid, error log, temp paths, listeners, TLS and the status server.
    Which directives each fragment may hold is the allow-list of :mod:`ngxlab.experiments.nginx_policy`.
    ``http`` may define upstreams: ``{{ backend("KEY") }}`` inside ``upstream`` stands for a backend's servers.
    ``ports``: how many ports take the load. ``request_times``: nginx logs how long each request and its upstream took,
    by its own clock, into a buffered log that the agent reads. ``cold_files``: how files marked cold are kept cold.
    """

    workers: Annotated[Templated, Within(1, 256)]
    worker_connections: Annotated[Templated, Within(16, 1_000_000)]
    main: TemplatedText = ""
    events: TemplatedText = ""
    http: TemplatedText = ""
    listen_options: Annotated[str, Field(max_length=500)] = ""
    server: TemplatedText
    tls: bool = False
    files: list[FileSet] = []
    ports: Annotated[Templated, Within(1, 64)] = 1
    request_times: bool = False
    cold_files: ColdFiles | None = None
    upstreams: DynamicUpstreams | None = None


class Sink(DefinitionPart):
    """Reads whatever body it gets and answers 200 with ``response_bytes`` of text."""

    kind: Literal["sink"] = "sink"
    response_bytes: Annotated[Templated, Within(0, 1 << 20)] = 2


class Slow(DefinitionPart):
    """Answers after a delay: ``delay_ms``, spread by ``distribution`` around it (``uniform``: ± ``spread_ms``;
    ``exponential``: that mean). Needs nginx's Lua module on the backend's host."""

    kind: Literal["slow"] = "slow"
    delay_ms: Annotated[TemplatedNumber, Within(0, 600_000, whole=False)]
    distribution: Literal["constant", "uniform", "exponential"] = "constant"
    spread_ms: Annotated[TemplatedNumber, Within(0, 600_000, whole=False)] = 0
    response_bytes: Annotated[Templated, Within(0, 1 << 20)] = 2


class Backend(DefinitionPart):
    """An upstream server: an nginx of its own with ``instances`` ports, on the host that plays ``slot``.

    What it does is either a ready-made ``behaviour`` or the ``server`` fragment. ``workers``: of that nginx.
    """

    key: Key
    slot: Key
    instances: Annotated[int, Field(ge=1, le=1000)] = 1
    workers: Annotated[int, Field(ge=1, le=256)] = 1
    behaviour: Annotated[Sink | Slow, Field(discriminator="kind")] | None = None
    server: TemplatedText = ""


class Stream(DefinitionPart):
    """One load generator's part, on the host that plays ``slot``. Times count from the start of warm-up.

    ``threads``: wrk's threads, or the open loop's processes. ``probe``: a bystander at a low rate that feels what the
    other streams do; the totals are without it. ``paths`` (wrk only): many paths instead of ``path``. ``open_loop`` and
    ``idle_hold`` belong to the engine of that name.
    """

    key: Key
    engine: EngineName = "wrk"
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
    open_loop: OpenLoop | None = None
    idle_hold: IdleHold | None = None


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
    perturbations: Annotated[list[Perturbation], Field(max_length=50)] = []
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
