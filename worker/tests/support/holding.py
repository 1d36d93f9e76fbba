"""Idle connections without a trial, held until their counters meet a condition."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ngxlab_contracts.streams import IdleHoldSpec, StreamSpec
from ngxlab_contracts.telemetry import EngineTotals, LatencyInterval
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.engines import GeneratorContext, Target
from ngxlab_worker.engines.idle_hold import IdleHoldEngine
from ngxlab_worker.sandbox import Isolation, RunAs, Sandbox, resolve_run_as
from tests.support.hosts import wait_until

Notes = list[tuple[str, str, str]]


def idle_stream(connections: int, **changes: Any) -> StreamSpec:
    """HEAD requests after 10 to 100 ms each, opened at 2,000 a second; ``changes`` of the stream or its plan."""
    plan = {"connect_per_s": 2000, "think_min_s": 0.01, "think_max_s": 0.1}
    plan |= {name: changes.pop(name) for name in list(changes) if name in IdleHoldSpec.model_fields}
    stream = {"key": "idle", "engine": "idle-hold", "threads": 1, "connections": connections, "method": "HEAD"}
    return StreamSpec.model_validate({**stream, "idle_hold": plan, **changes})


def hold(
    spec: StreamSpec,
    target: Target,
    until: Callable[[dict[str, int]], bool],
    *,
    folder: Path,
    run_as: RunAs | None,
    notes: Notes | None = None,
) -> tuple[EngineTotals, list[LatencyInterval]]:
    """Hold until ``until`` is true of the counters; gives the totals."""
    sandbox = Sandbox(Isolation.NAMESPACE, run_as)
    context = GeneratorContext(target=target, sandbox=sandbox, folder=folder, life_s=60)
    clock = HostClock.anchored_now()
    said = notes if notes is not None else []
    generator = IdleHoldEngine().prepare(spec, context, lambda *note: said.append(note))
    try:
        generator.release(clock.now_us())

        def reached() -> bool:
            generator.check()
            return until(generator.page.counters())

        wait_until(reached)
        generator.stop(clock.now_us())
        wait_until(lambda: generator.stopped(clock.now_us()))
        intervals, end = generator.finish()
    finally:
        generator.kill()
    assert end.totals is not None
    return end.totals, intervals


def main() -> None:
    """Arguments: FOLDER PORT CONNECTIONS USER. For a test that runs this with a lower limit than its own."""
    folder, port, connections, user = sys.argv[1:]
    spec = idle_stream(int(connections))
    run_as = resolve_run_as(user or None)
    target = Target("127.0.0.1", (int(port),))

    def until(now: dict[str, int]) -> bool:
        return now["completed"] >= 2 * int(connections)

    totals, _ = hold(spec, target, until, folder=Path(folder), run_as=run_as)
    json.dump(totals.model_dump(), sys.stdout)


if __name__ == "__main__":
    main()
