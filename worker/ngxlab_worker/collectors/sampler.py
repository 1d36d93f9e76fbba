"""Runs every collector once and puts their readings into frames."""

import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Literal

from ngxlab_contracts.telemetry import Frame, Layout, NoteEvent, SeriesDef

from ngxlab_worker.collectors.generators import GeneratorCollector
from ngxlab_worker.collectors.processes import ProcessCollector, SampleTargets
from ngxlab_worker.collectors.procfile import FileCollector, Machine
from ngxlab_worker.collectors.reading import Collector, ParseError, Reading
from ngxlab_worker.collectors.stub_status import TIMEOUT_S, StubStatusCollector, UpstreamStatusCollector

_Columns = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


@dataclass(frozen=True)
class Sample:
    """``new_layouts``: those that the ``frames`` use and no earlier sample has declared."""

    new_layouts: list[Layout] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    notes: list[NoteEvent] = field(default_factory=list)


class Layouts:
    """Numbers the layouts of a trial from 0. Columns seen before get their old number, so that a device that comes and
    goes does not use up numbers."""

    def __init__(self) -> None:
        self._ids: dict[tuple[str, _Columns], int] = {}
        self._current: dict[str, tuple[Sequence[SeriesDef], int]] = {}

    def number(self, collector: str, columns: Sequence[SeriesDef]) -> tuple[int, Layout | None]:
        current = self._current.get(collector)
        if current is not None and current[0] is columns:
            return current[1], None
        content = tuple((series.name, tuple(series.labels.items())) for series in columns)
        new = (collector, content) not in self._ids
        number = self._ids.setdefault((collector, content), len(self._ids))
        self._current[collector] = (columns, number)
        return number, Layout(id=number, collector=collector, series=list(columns)) if new else None


class Failures:
    """Reports once that a collector fails and why, and once that it works again."""

    def __init__(self) -> None:
        self._said: set[tuple[str, str]] = set()
        self._failing: set[str] = set()

    def failed(self, collector: str, reason: str) -> str | None:
        """The text of a note, unless this failure has been noted before."""
        if (collector, reason) in self._said:
            return None
        self._said.add((collector, reason))
        self._failing.add(collector)
        return f"collector {collector}: {reason}"

    def recovered(self, collector: str) -> str | None:
        """The text of a note, if this collector has been failing."""
        if collector not in self._failing:
            return None
        self._failing.remove(collector)
        return f"collector {collector} reads again"


def host_collectors(machine: Machine) -> list[FileCollector]:
    """Every file here that has a function ``collector``, in alphabetical order, in which they are read."""
    return [module.collector(machine) for module in _modules()]


@cache
def _modules() -> list[ModuleType]:
    names = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    modules = (import_module(f"{__package__}.{name}") for name in names)
    return [module for module in modules if hasattr(module, "collector")]


class Sampler:
    """The collectors of one trial. Not thread-safe; a whole sample takes about a millisecond.

    ``clock`` gives microseconds since the epoch on the trial's own clock (see ``contracts.telemetry``). ``sample``
    raises no error of a collector: one that fails gives a note and no frame, and the others go on. Status pages are
    read last, since only they can be slow: an upstream server's may take 0.5 s. That of the nginx under test is the
    very last and may take ``patience_s``; after that, its answer is read with the next sample.
    """

    def __init__(
        self, targets: SampleTargets, clock: Callable[[], int], *, proc: str = "/proc", patience_s: float = TIMEOUT_S
    ) -> None:
        self._clock = clock
        self._layouts = Layouts()
        self._failures = Failures()
        self._noticed: set[tuple[str, str]] = set()
        self._processes = ProcessCollector(proc)
        self._status = StubStatusCollector(patience_s)
        upstreams = [UpstreamStatusCollector(key, address) for key, address in targets.upstream_status.items()]
        self._collectors: list[Collector] = [
            *host_collectors(Machine(proc, devices=targets.devices)),
            self._processes,
            GeneratorCollector(targets.generator_counts),
            *upstreams,
            self._status,
        ]
        self.update(targets)

    @property
    def polls(self) -> int:
        """Status polls answered so far: as many requests of nginx's counter are this sampler's own."""
        return self._status.polls

    def update(self, targets: SampleTargets) -> None:
        """Read these from the next sample on. Upstream servers and generators' counts stay the same."""
        self._processes.follow(targets)
        self._status.point_at(targets.status_address)

    def sample(self) -> Sample:
        """Read everything once. A collector that has nothing to read gives no frame."""
        sample = Sample()
        for collector in self._collectors:
            started = self._clock()
            try:
                reading = collector.read()
            except (OSError, ParseError) as error:
                text = self._failures.failed(collector.name, str(error))
                self._note(sample, "warning", "collector-failed", text)
                continue
            self._add(sample, collector.name, reading, started)
        return sample

    def close(self) -> None:
        for collector in self._collectors:
            collector.close()

    def _add(self, sample: Sample, name: str, reading: Reading, started: int) -> None:
        took = max(0, self._clock() - started)
        self._note(sample, "info", "collector-recovered", self._failures.recovered(name))
        for notice in reading.notices:
            if notice not in self._noticed:
                self._noticed.add(notice)
                self._note(sample, "info", notice.code, notice.message)
        if not reading.columns:
            return
        number, layout = self._layouts.number(name, reading.columns)
        if layout is not None:
            sample.new_layouts.append(layout)
        sample.frames.append(Frame(layout=number, t_us=started, took_us=took, values=reading.values))

    def _note(self, sample: Sample, severity: Literal["info", "warning"], code: str, text: str | None) -> None:
        if text is not None:
            sample.notes.append(NoteEvent(t_us=self._clock(), severity=severity, code=code, message=text))
