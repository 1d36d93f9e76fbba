"""A stream of idle connections, spread over several processes."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ngxlab_contracts.streams import IdleHoldSpec, StreamSpec
from ngxlab_contracts.telemetry import EngineTotals, LatencyInterval

from ngxlab_worker.engines.base import (
    GeneratorContext,
    GeneratorEnd,
    GeneratorError,
    NoteSink,
    stream_invalid,
)
from ngxlab_worker.engines.idle_hold.obstacles import Room, descriptor_limit, obstacles, processes_for
from ngxlab_worker.engines.idle_hold.sources import Sources, sources_for
from ngxlab_worker.engines.native import NativeEngine, NativeGenerator, ProgramShape
from ngxlab_worker.engines.native.page import ENDED
from ngxlab_worker.engines.native.program import request_options, target_options

PROGRAM = "ngxlab-hold"
READY_TIMEOUT_S = 10.0
CLOSE_TIMEOUT_S = 120.0
"""The kernel needs about 10 us to close one end: 20 s for a million connections, longer on a busy host."""


class IdleHoldEngine(NativeEngine):
    program = PROGRAM

    def prepare(self, spec: StreamSpec, context: GeneratorContext, note: NoteSink) -> "IdleHoldGenerator":
        """Start the processes, which open no connection yet: connecting is part of the load.

        Raises ``GeneratorError`` where this host does not allow so many connections, with all reasons and remedies.
        """
        plan = _plan(spec)
        words = target_options(spec, context.target)
        words += request_options(spec, context.target, context.work_folder() / "request")
        try:
            sources = sources_for(context.target, spec.connections)
        except OSError as error:
            reason = f"stream {spec.key}: {context.target.address}: {error.strerror}"
            raise GeneratorError("target-unreachable", reason) from error
        limit = descriptor_limit()
        reasons = obstacles(spec.connections, sources, Room.of_this_host(limit))
        processes = processes_for(spec.connections, limit)
        if reasons or processes is None:
            message = f"stream {spec.key}: {spec.connections} connections: {'; '.join(reasons)}"
            raise GeneratorError("too-many-connections", message)
        shape = ProgramShape(processes, ("latency", "rejected"), READY_TIMEOUT_S, intended=False)
        generator = IdleHoldGenerator.start(PROGRAM, [*words, *_options(plan, sources)], spec, context, shape)
        generator.note = note
        return generator


class IdleHoldGenerator(NativeGenerator):
    """It has ended as soon as it counts nothing more; closing its connections continues after that."""

    note: NoteSink
    _own_memory_bytes: int | None = None

    def stop(self, t_us: int) -> None:
        self._own_memory_bytes = own_memory_bytes(self.pids)
        super().stop(t_us)

    def stopped(self, t_us: int) -> bool:
        return super().stopped(t_us) or self._has_stopped_counting()

    def finish(self) -> tuple[list[LatencyInterval], GeneratorEnd]:
        intervals, end = super().finish()
        if end.totals is None:
            return intervals, end
        totals = end.totals.model_copy(update={"own_memory_bytes": self._own_memory_bytes})
        self._note_failures(totals)
        return intervals, replace(end, totals=totals, report=totals.model_dump_json(indent=1))

    def kill(self) -> None:
        if self._has_stopped_counting():
            self._child.wait(CLOSE_TIMEOUT_S)
        super().kill()

    def _has_stopped_counting(self) -> bool:
        return all(state == ENDED for state in self.page.states())

    def _note_failures(self, totals: EngineTotals) -> None:
        if totals.errors_connect:
            last = os.strerror(self.page.last_errno())
            text = f"stream {self.key}: {totals.errors_connect} connections could not be opened; the last error: {last}"
            self.note("error", "connections-failed", text)


def _plan(spec: StreamSpec) -> IdleHoldSpec:
    if spec.idle_hold is None:
        raise stream_invalid(spec, "idle_hold is missing: it sets the connect rate and the think times")
    if spec.tls:
        raise stream_invalid(spec, "idle connections cannot use TLS: set tls to false")
    if not spec.keep_alive:
        raise stream_invalid(spec, "idle connections need keep-alive: set keep_alive to true")
    return spec.idle_hold


def _options(plan: IdleHoldSpec, sources: Sources) -> list[str]:
    options = [word for address in sources.addresses for word in ("--source", address)]
    numbers = {
        "rate": plan.connect_per_s,
        "think-min": plan.think_min_s,
        "think-max": plan.think_max_s,
        "seed": plan.seed,
    }
    return [*options, *(word for name, value in numbers.items() for word in (f"--{name}", str(value)))]


def own_memory_bytes(pids: Sequence[int]) -> int | None:
    """The proportional set size of all the processes, without the kernel's memory for their sockets.

    ``None`` where that of a process cannot be read (proc_pid_smaps_rollup(5)).
    """
    total = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            return None
        total += next(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    return total
