"""What an agent tells of a profile: where nginx spent its CPU time, and where the time of requests went."""

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ngxlab_contracts.base import Items, Message, Natural, Real, Whole

MOST_FRAMES, MOST_CALLS, LONGEST_FRAME, DEEPEST_CALL = 5_000, 20_000, 200, 256
"""Of a profile: different functions, nodes of its tree of calls, characters of a name, and calls within each other."""


class KernelCounts(Message):
    """Of nginx's processes, by the kernel. ``cpu_wait_us``: threads could have run, and waited for a CPU. ``waits``:
    one gave its CPU up, as it had to wait for something (an event, a disk, a lock). ``preemptions``: another one took
    the CPU. ``migrations``: one went on on another CPU; ``None`` where the kernel does not tell. ``minor_faults``:
    pages of memory that had to be found; ``major_faults``: those that had to be read from a disk."""

    cpu_wait_us: Natural
    waits: Natural
    preemptions: Natural
    migrations: Natural | None
    minor_faults: Natural
    major_faults: Natural


class Profile(Message):
    """Where the nginx under test spent its CPU time in the ``seconds`` before ``t_us``: samples taken ``hz`` times in
    each second of CPU time of its processes, by function.

    ``frames`` and ``modules``: the functions, and the file that each is in (``kernel``; empty where that is unknown). A
    function without a name has its module's in brackets. A tree of calls: each node has the number of its caller
    (``parents``, -1 without one), which stands before it, of its function (``calls``), and its own ``samples``, taken
    while it ran itself. ``unwinding``: how callers were found. ``kernel``: whether its functions could be seen.
    ``lost``: samples that the kernel dropped; ``unresolved``: those of a function without a name, or too deep to tell.
    ``counts``: what the kernel counted of the same processes meanwhile, if it is known.
    """

    kind: Literal["profile"] = "profile"
    t_us: Whole
    hz: Annotated[int, Field(strict=True, ge=1, le=10_000)]
    seconds: Annotated[Real, Field(ge=0, le=1e6)]
    unwinding: Literal["fp", "dwarf"]
    kernel: bool
    lost: Natural
    unresolved: Natural
    frames: Annotated[Items[Annotated[str, Field(max_length=LONGEST_FRAME)]], Field(max_length=MOST_FRAMES)]
    modules: Annotated[Items[Annotated[str, Field(max_length=LONGEST_FRAME)]], Field(max_length=MOST_FRAMES)]
    parents: Annotated[Items[Annotated[int, Field(strict=True, ge=-1)]], Field(max_length=MOST_CALLS)]
    calls: Annotated[Items[Annotated[int, Field(strict=True, ge=0)]], Field(max_length=MOST_CALLS)]
    samples: Annotated[Items[Natural], Field(max_length=MOST_CALLS)]
    counts: KernelCounts | None = None

    @model_validator(mode="after")
    def _is_tree(self) -> Self:
        if len(self.frames) != len(self.modules) or not len(self.parents) == len(self.calls) == len(self.samples):
            raise ValueError("its lists have different lengths")
        if any(parent >= node for node, parent in enumerate(self.parents)):
            raise ValueError("a call stands before its caller")
        if any(call >= len(self.frames) for call in self.calls):
            raise ValueError("a call is of a function that it does not name")
        if any("/" in module for module in self.modules):
            raise ValueError("a module is a path")
        depths: list[int] = []
        for parent in self.parents:
            depths.append(depths[parent] + 1 if parent >= 0 else 1)
        if max(depths, default=0) > DEEPEST_CALL:
            raise ValueError("its calls are nested too deeply")
        return self


PhaseName = Literal["open", "read", "connect", "first_byte", "body", "write"]
"""Of a request's time, in their order: from accepting its connection to its first byte, where it is the connection's
first request; reading its headers; connecting to an upstream server; waiting for the first byte of its answer; reading
the rest; and all else, which is nginx's own work, reading the request's body, and writing the response."""
MOST_TIMES = 8_000
"""Different times of a phase: milliseconds up to 1 s, above that with three significant digits."""


class PhaseTimes(Message):
    """Of all requests: what a phase took in sum, and how many of them took so many milliseconds (``ms`` ascending, with
    ``counts``). nginx counts in whole milliseconds on two clocks, so a single time may be one off: the sum has them as
    they are, and what would be negative counts as 0 below."""

    sum_ms: Whole
    ms: Annotated[Items[Natural], Field(max_length=MOST_TIMES)]
    counts: Annotated[Items[Natural], Field(max_length=MOST_TIMES)]

    @model_validator(mode="after")
    def _is_ascending(self) -> Self:
        if len(self.ms) != len(self.counts) or any(one >= other for one, other in pairwise(self.ms)):
            raise ValueError("its times are not ascending, each with a count")
        return self


class Phases(Message):
    """Where the time of the ``requests`` went that nginx ended in the ``seconds`` before ``t_us``. ``whole``: of all
    phases together. ``phases``: each that this nginx tells; their sums add up to that of the whole."""

    kind: Literal["phases"] = "phases"
    t_us: Whole
    seconds: Annotated[Real, Field(ge=0, le=1e6)]
    requests: Natural
    whole: PhaseTimes
    phases: dict[PhaseName, PhaseTimes]

    @model_validator(mode="after")
    def _is_of_all(self) -> Self:
        if self.requests and not self.phases:
            raise ValueError("it tells no phase of its requests")
        every = (self.whole, *self.phases.values())
        if any(sum(one.counts) != self.requests for one in every):
            raise ValueError("a phase does not count each request once")
        if sum(one.sum_ms for one in self.phases.values()) != self.whole.sum_ms:
            raise ValueError("its phases do not add up to the whole")
        return self
