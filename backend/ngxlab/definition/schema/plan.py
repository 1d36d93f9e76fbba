"""How often each arm runs, for how long, and when the run has measured enough."""

from typing import Annotated, Literal

from ngxlab_contracts.fields import field
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.trials import TimingSpec
from pydantic import Discriminator, Field, Tag

from ngxlab.definition.schema.base import DefinitionModel
from ngxlab.definition.schema.factors import ArmKey

MOST_BLOCKS = 100
"""The most blocks of a run, whatever is added."""


class FixedBlocks(DefinitionModel):
    kind: Annotated[Literal["fixed"], field("fixed: after the planned blocks")] = "fixed"


class UntilPrecise(DefinitionModel):
    """Add blocks until the 95 % interval of ``metric`` is within ± ``half_width_percent`` for every arm."""

    kind: Annotated[
        Literal["precision"], field("precision: add blocks until an interval is narrow enough for every arm")
    ] = "precision"
    metric: Annotated[
        Literal["requests_per_s", "latency_p50_us", "latency_p99_us", "capacity_per_s", "plateau_per_s"],
        field(
            "the metric whose 95 % interval is looked at",
            label="Metric",
            choices={
                "requests_per_s": "requests/s",
                "latency_p50_us": "median latency",
                "latency_p99_us": "p99 latency",
                "capacity_per_s": "capacity",
                "plateau_per_s": "throughput plateau",
            },
        ),
    ]
    half_width_percent: Annotated[
        float, field("how wide it may be, to either side", gt=0, le=100, label="Within", unit="± %")
    ]
    max_blocks: Annotated[
        int, field("the most blocks, whatever the precision", ge=2, le=MOST_BLOCKS, label="At most", unit="blocks")
    ]


class UntilDecided(DefinitionModel):
    """Add blocks until every primary question is decided, or until it is too unlikely that another will be."""

    kind: Annotated[
        Literal["decided"],
        field("decided: add blocks until every primary question is decided, or none of the open ones is likely to be"),
    ] = "decided"
    max_blocks: Annotated[
        int, field("the most blocks, whatever is open", ge=2, le=MOST_BLOCKS, label="At most", unit="blocks")
    ]
    hopeless_percent: Annotated[
        float,
        field(
            "end too once no open question has this chance to be decided within the most blocks; 0 never does",
            ge=0,
            le=50,
            label="Hopeless below",
            unit="% chance",
        ),
    ] = 10.0


StopRule = FixedBlocks | UntilPrecise | UntilDecided


class Selection(DefinitionModel):
    """Of many arms, measure only the best in all blocks: heats before them drop about half of the arms each, by the
    first primary metric. The baseline stays. What heats measure chooses, and nothing else."""

    finalists: Annotated[
        int, field("how many arms, beside the baseline, have all blocks", ge=1, le=20, label="Finalists", unit="arms")
    ] = 3
    heat_blocks: Annotated[
        int,
        field(
            "how often each arm that is left runs in a heat; two at least, since their scatter tells how a choice errs",
            ge=2,
            le=20,
            label="Blocks a heat",
        ),
    ] = 2


class Plan(DefinitionModel):
    """Randomised complete blocks: every block runs each arm once, in an order that depends on the run's seed.

    ``primary``: the metrics on which claims are made, the most important first; ``STREAM.METRIC`` for those of one
    stream. Without any, those of the template or of the load. All others are exploratory.
    """

    blocks: Annotated[
        int,
        field(
            "how often each arm runs; each block runs every arm once, in random order",
            ge=1,
            le=MOST_BLOCKS,
            label="Blocks",
        ),
    ]
    warmup_s: Annotated[
        float, field("load before the measured window, not counted", ge=0, le=600, label="Warm-up", unit="s")
    ]
    measure_s: Annotated[
        float, field("length of the measured window", ge=1, le=3600, label=("Measure", "phase"), unit="s")
    ]
    cooldown_s: Annotated[float, field("pause after each trial", ge=0, le=600, label="Cool-down", unit="s")] = 1.0
    interval_ms: Annotated[
        int,
        field(
            "time between two readings of nginx and of the system", ge=100, le=60_000, label="Sample every", unit="ms"
        ),
    ] = 1000
    patience_min: Annotated[
        int,
        field(
            "how long a run waits out a fault of its surroundings, such as a full disk or a host that is away, and "
            "repeats what it disturbed, before the run fails; and for an answer, where a first trial had errors only",
            ge=5,
            le=720,
            label="Wait out faults for",
            unit="min",
        ),
    ] = 30
    primary: Annotated[
        list[Annotated[str, Field(max_length=120)]],
        field(
            "the metrics on which claims are made, the most important first; STREAM.METRIC for "
            "those of one stream. Without any, those of the template or of the load",
            max_length=10,
        ),
    ] = []
    matters_percent: Annotated[
        float,
        field(
            "the smallest difference that matters to you: a change that is surely smaller is called equivalent",
            gt=0,
            le=100,
            label="What matters",
            unit="%",
        ),
    ] = 2.0
    stop: Annotated[StopRule, field("when the run ends", discriminator="kind")] = FixedBlocks()
    selection: Annotated[
        Selection | None, field("which arms have all blocks, where there are many; without it, all of them")
    ] = None

    @property
    def phases(self) -> dict[str, float]:
        """Seconds of a trial's phases: the fields that hosts are told by the same names."""
        return {name: seconds for name, seconds in self if name in TimingSpec.model_fields}

    @property
    def most_blocks(self) -> int:
        """What the stop rule allows a run, or the planned number without one."""
        return self.blocks if isinstance(self.stop, FixedBlocks) else self.stop.max_blocks

    @property
    def may_stop(self) -> bool:
        """Whether a stop rule may end a run before it has the most blocks."""
        return not isinstance(self.stop, FixedBlocks) and self.blocks < self.most_blocks


class ProfilePlan(DefinitionModel):
    """Trials after the planned blocks in which perf samples nginx (docs/profiles.md). No verdict counts them."""

    trials: Annotated[
        int, field("how often each arm is profiled", ge=1, le=10, label=("Trials", "profile"), unit="of each arm")
    ] = 2
    hz: Annotated[
        int,
        field("samples in each second of CPU time", ge=10, le=999, label="Samples", unit="a second of CPU time"),
    ] = 99
    phases: Annotated[
        bool,
        field("whether nginx also logs how long each part of a request takes, in the same trials", label="Phases"),
    ] = True


def as_profile(value: object) -> object:
    """``true`` stands for a plan with all defaults, ``false`` for none."""
    if isinstance(value, bool):
        return {} if value else None
    return value


_OF_LATENCY = "latency_ms"


class Threshold(DefinitionModel):
    """``metric`` must ``compare`` with ``value`` in every arm, or in ``arm`` alone.

    ``statistic``: of ``latency_ms``, and of nothing else. ``ratio``: the arm's value divided by the baseline's.
    """

    metric: Annotated[
        Literal[
            "requests_per_s",
            "capacity_per_s",
            "plateau_per_s",
            "latency_ms",
            "errors_percent",
            "cpu_cv",
            "connections_cv",
            "cpu_s_per_1000",
        ],
        field("what must stay within the bound"),
    ]
    statistic: Annotated[
        Literal["p50", "p90", "p99", "p999", "mean", "stdev", "max"] | None,
        field("of latency_ms: a percentile, or another"),
    ] = None
    ratio: Annotated[bool, field("the arm's value divided by the baseline's instead of the value itself")] = False
    compare: Annotated[Literal["<", "<=", ">", ">="], field("how the metric must compare with the value")]
    value: Annotated[float, field("the bound", allow_inf_nan=False)]
    arm: Annotated[
        ArmKey | None,
        field("key of the only arm that must meet it; without one every arm, with ratio every arm but the baseline"),
    ] = None

    @property
    def problem(self) -> tuple[str, Sentence] | None:
        """The field that does not fit the others, and why."""
        if self.metric == _OF_LATENCY and self.statistic is None:
            return "statistic", say("is missing: latency_ms needs one, such as p99")
        if self.metric != _OF_LATENCY and self.statistic is not None:
            return "statistic", say("is for latency_ms only; {metric} has none", metric=self.metric)
        return None

    @property
    def text(self) -> str:
        """The same as a line, such as ``p99_ms ratio < 1.1 for reuseport``."""
        metric = self.metric if self.statistic is None else f"{self.statistic}_ms"
        words = [metric, *(["ratio"] if self.ratio else []), self.compare, f"{self.value:.15g}"]
        return " ".join([*words, *(["for", self.arm] if self.arm is not None else [])])


def _form(value: object) -> str:
    return "text" if isinstance(value, str) else "fields"


ThresholdText = Annotated[str, Field(max_length=200)]
ThresholdEntry = Annotated[
    Annotated[Threshold, Tag("fields")] | Annotated[ThresholdText, Tag("text")], Discriminator(_form)
]


def text_of(entry: Threshold | str) -> str:
    """The line that an entry is, or stands for."""
    return entry if isinstance(entry, str) else entry.text
