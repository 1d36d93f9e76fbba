"""Payloads of profiles."""

from typing import Literal

from ngxlab_contracts.sentences import Sentence
from pydantic import BaseModel, Field

from ngxlab.analysis.phases import Part


class KernelCountsOut(BaseModel):
    """What the kernel counted of nginx's processes while they were sampled, a request."""

    cpu_wait_us: float = Field(description="microseconds in which threads could have run, and waited for a CPU")
    waits: float = Field(description="how often a thread gave its CPU up, as it had to wait for something")
    preemptions: float = Field(description="how often another thread took its CPU")
    migrations: float | None = Field(description="how often it went on on another CPU; null where nobody knows")
    minor_faults: float = Field(description="pages of memory that had to be found")
    major_faults: float = Field(description="pages of memory that had to be read from a disk")


class ProfileSummary(BaseModel):
    """The profiles of an arm, all its trials together."""

    arm_key: str
    trials: int = Field(description="profiles of this arm")
    samples: int
    requests: int = Field(description="that nginx served while it was sampled")
    cpu_s: float = Field(description="CPU time that the samples stand for")
    worker_cpu_s: float | None = Field(description="CPU time that the kernel accounted to nginx meanwhile")
    cpu_us_per_request: float | None = Field(description="by the samples; null where no request was counted")
    lost: int = Field(description="samples that the kernel dropped")
    unresolved_percent: float = Field(description="of the samples: those of a function without a name")
    kernel: bool = Field(description="whether the kernel's functions could be seen")
    unwinding: Literal["fp", "dwarf"] = Field(description="how callers were found: frame pointers, or DWARF tables")
    hz: int = Field(description="samples in each second of CPU time")
    counts: KernelCountsOut | None = Field(description="by the kernel; null where an agent does not tell")


class ProfileStack(BaseModel):
    frames: list[int] = Field(description="places in the list of functions, the outermost first")
    samples: int


class ArmProfileOut(ProfileSummary):
    """``frames`` and ``modules``: the functions, and the file of each; ``kernel`` is the kernel, and its modules. A
    function without a name has its module's in brackets."""

    frames: list[str]
    modules: list[str] = Field(description="of each function: the file that it is in, empty where that is unknown")
    stacks: list[ProfileStack] = Field(description="the most samples first")


class FrameClaimOut(BaseModel):
    """Microseconds of CPU time a request that a function took in the arm, in the other one, and the difference."""

    frame: str
    module: str
    kind: Literal["self", "total"] = Field(description="the function alone, or with all that it called")
    cpu_us_per_request: float
    baseline: float = Field(description="of the other arm")
    difference: float
    low: float = Field(description="of the interval of the difference; those of all claims hold together")
    high: float
    q: float = Field(description="the smallest rate of false discoveries at which the function is said to differ")
    claimed: bool = Field(description="whether it is said to differ")


class ProfileDifference(BaseModel):
    """``sentence``: what may be said in a line; null where nothing may. ``claims``: the functions that are said to
    differ first, then the others, each by the size of the difference; none where an arm has one profile only."""

    arm_key: str
    against: str
    trials: int
    against_trials: int
    cpu_us_per_request: float | None
    against_cpu_us_per_request: float | None
    false_discovery_percent: float = Field(description="of the functions that are said to differ, expected not to")
    sentence: Sentence | None
    claims: list[FrameClaimOut]


class PhaseOut(BaseModel):
    """Milliseconds of a request. ``p99_ms``: 99 % of the requests took no longer. ``difference_ms``: from the other
    arm. ``low_ms``: the lower bound of its interval. ``high_ms``: the upper one. All three are null where nothing is
    compared or an arm has one such trial only."""

    phase: Part = Field(description="a part of a request's time; ``whole``: all of it")
    mean_ms: float = Field(description="of all requests; the means of all phases add up to that of the whole")
    p50_ms: float = Field(description="half of the requests took no longer; nginx counts whole milliseconds")
    p99_ms: float
    difference_ms: float | None
    low_ms: float | None
    high_ms: float | None
    claimed: bool = Field(description="whether it is said to differ")


class ArmPhasesOut(BaseModel):
    """Where the time of an arm's requests goes, all its profiles together."""

    arm_key: str
    against: str | None = Field(description="key of the arm that it is compared with, if that one has phases")
    trials: int = Field(description="profiles of this arm in which nginx logged the phases of its requests")
    requests: int
    unlogged_percent: float | None = Field(
        default=None,
        description="of the requests that nginx counted meanwhile, those in no phase: of a location with a log of "
        "its own, or not ended; null where that is not known",
    )
    phases: list[PhaseOut] = Field(description="in the order in which they follow each other, the whole last")
    sentence: Sentence | None = Field(description="what may be said in a line; null where nothing may")
