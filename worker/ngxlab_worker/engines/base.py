"""What the rest of the agent uses of a load engine, whichever it is."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from ngxlab_contracts.hosts import Capability, WrkBinary
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import EngineTotals, LatencyInterval, WrkPrint

from ngxlab_worker.confinement import Fence
from ngxlab_worker.engines.histogram import Counts
from ngxlab_worker.sandbox import Sandbox, SandboxError
from ngxlab_worker.sandbox.process import killed_by

RATE_LEAD_US = 15_000
"""A process of a generator may rest for 10 ms before it sees that a rate was set."""

NoteSink = Callable[[Literal["info", "warning", "error"], str, str], None]
"""``note(severity, code, message)``: something that the report must mention."""


class GeneratorError(Exception):
    """A generator could not start, or ended early. ``code`` is stable; the message is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Target:
    """Where the load goes. An engine that uses only one port takes the first of ``ports``."""

    address: str
    ports: tuple[int, ...]

    @property
    def port(self) -> int:
        return self.ports[0]

    @property
    def fence(self) -> Fence:
        """All that a generator need reach."""
        return Fence(connects=tuple((self.address, port) for port in self.ports))

    @property
    def authority(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"


@dataclass(frozen=True)
class GeneratorContext:
    """Where and how long a generator works. ``folder`` is its own. A generator that nobody stops ends after ``life_s``.

    ``pause`` sleeps that many seconds, or raises at once when the trial has to end.
    """

    target: Target
    sandbox: Sandbox
    folder: Path
    life_s: float
    pause: Callable[[float], None] = time.sleep

    def work_folder(self) -> Path:
        """The program's own folder below ``folder``, which it can read and not write. Created unless it exists."""
        folder = self.folder / "work"
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)  # whatever the umask: another user reads it
        return folder


@dataclass(frozen=True)
class GeneratorEnd:
    """``live_requests``: responses that were read while it ran, from its start to its end. ``report``: its own output,
    unparsed. ``totals``: the counts of an engine of ours. ``failure``: why these figures must not be used."""

    exit_code: int | None
    live_requests: int | None
    live_unavailable_reason: str | None
    printed: WrkPrint | None
    report: str
    totals: EngineTotals | None = None
    failure: GeneratorError | None = None


class Progress(NamedTuple):
    """What has become of requests so far: those that were served, those that failed for sure, those that are due and
    neither yet, and those of these that have not been sent."""

    served: int
    failed: int
    outstanding: int
    backlog: int


@dataclass(frozen=True)
class Answered:
    """Requests that were due, and the latency of those that were served, from when they were due; the others have
    failed. ``lateness``: the generator's own delays. ``busy_s``: CPU time of its processes."""

    due: int
    latency: Counts
    lateness: Counts
    busy_s: float = 0

    @property
    def served(self) -> int:
        return self.latency.total

    @property
    def failed(self) -> int:
        return self.due - self.served

    def since(self, earlier: "Answered") -> "Answered":
        return Answered(
            self.due - earlier.due,
            self.latency.since(earlier.latency),
            self.lateness.since(earlier.lateness),
            self.busy_s - earlier.busy_s,
        )


class SteeredRates(Protocol):
    """Sets the rate of a stream that runs; of a closed loop, how many connections are in use. Rates follow each other;
    each holds until the next one begins."""

    @property
    def processes(self) -> int:
        """That generate the load."""

    def set(self, per_s: float, begin_us: int) -> None:
        """From ``begin_us`` (CLOCK_MONOTONIC) on, ``per_s``. It should lie :data:`RATE_LEAD_US` ahead."""

    def has_begun(self) -> bool:
        """Whether every request that is still to come belongs to the rate that was set last."""

    def progress(self) -> Progress:
        """Cheap enough to be read twenty times a second."""

    def answered(self) -> Answered:
        """Exact once nothing is outstanding."""


class Generator(Protocol):
    """One running stream. All methods return at once, except :meth:`kill`."""

    @property
    def key(self) -> str: ...

    @property
    def pid(self) -> int: ...

    @property
    def pids(self) -> list[int]:
        """All processes that generate load, :attr:`pid` first."""

    @property
    def counts(self) -> Callable[[], Mapping[str, int]] | None:
        """Reads the engine's counts so far (see ``collectors.generators``); ``None`` where it reports none."""

    @property
    def rates(self) -> "SteeredRates | None":
        """The rates of a stream whose rates the agent chooses as it goes; ``None`` for any other."""

    def release(self, t_us: int) -> None:
        """Start the load, at host time ``t_us``."""

    def reading(self, t_us: int) -> list[LatencyInterval]:
        """The responses completed from the previous reading until ``t_us``. Empty where they cannot be read live."""

    def check(self) -> None:
        """Raises ``GeneratorError`` where the generator has ended by itself."""

    def stop(self, t_us: int) -> None:
        """Ask it to end with a complete report, at host time ``t_us``."""

    def stopped(self, t_us: int) -> bool:
        """Whether it has ended. Call it about every millisecond after :meth:`stop`, until it is true."""

    def finish(self) -> tuple[list[LatencyInterval], GeneratorEnd]:
        """The last interval and the result, once :meth:`stopped`."""

    def kill(self) -> None:
        """Kill the generator, in whatever state it is."""


@dataclass(frozen=True)
class EngineInventory:
    """What an engine needs of this host, and whether it is there. Engines that share a program or a kernel feature
    share a capability: it is available where each of them says so. ``wrk``: the binary, from the engine that runs it.
    """

    capabilities: tuple[Capability, ...]
    wrk: WrkBinary | None = None


class Engine(Protocol):
    """A load engine: all that the rest of the agent knows of it."""

    def inventory(self) -> EngineInventory:
        """Look at this host; takes at most tens of milliseconds. Raises nothing: what is missing is said."""
        ...

    def programs(self) -> list[str]:
        """Paths of the programs that it starts, as far as they are there."""
        ...

    def prepare(self, spec: StreamSpec, context: GeneratorContext, note: NoteSink) -> Generator:
        """Set a generator up, ready for :meth:`Generator.release`. Raises ``GeneratorError``."""
        ...


def stream_invalid(spec: StreamSpec, reason: str) -> GeneratorError:
    return GeneratorError("stream-invalid", f"stream {spec.key}: {reason}")


def ended_early(who: str, exit_code: int, said: str) -> GeneratorError:
    """``said``: its last words."""
    if (killer := killed_by(exit_code)) is not None:
        return GeneratorError("generator-killed", f"{who} was ended by {killer}, which ngxlab did not send")
    return GeneratorError("generator-died", f"{who} ended early ({exit_code}): {said}")


def not_started(error: SandboxError) -> GeneratorError:
    return GeneratorError("generator-killed" if error.killed else "generator-start-failed", str(error))


_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_UNSAFE_IN_HEADER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_UNSAFE_IN_PATH = re.compile(r"[\x00-\x20\x7f]")


def require_http_syntax(spec: StreamSpec) -> None:
    """Raises ``GeneratorError`` for a path or header that HTTP/1.1 does not allow (RFC 9110, 5.1 and 5.5)."""
    path = spec.asked_path
    if not path.startswith("/") or _UNSAFE_IN_PATH.search(path):
        raise stream_invalid(spec, f"{path!r} is not the path of a URL")
    for name, value in spec.headers.items():
        if not _HEADER_NAME.fullmatch(name) or _UNSAFE_IN_HEADER.search(value):
            raise stream_invalid(spec, f"{name!r}: {value!r} is not an HTTP header")
