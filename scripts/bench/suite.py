"""All benchmarks. One that fails does not stop the others."""

import asyncio
import traceback
from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime
from typing import Protocol

from scripts.bench import (
    agent_cpu,
    backlog,
    crossover,
    dead_time,
    fidelity,
    hostile_clients,
    idle_hold,
    ingest,
    lists,
    live_page,
    machine,
    open_loop,
    product_cpu,
    queue,
    raw_size,
    rewindow,
    sample_to_screen,
    series_query,
    thousand_hosts,
    thousand_viewers,
    weights,
)
from scripts.bench.lab import Lab
from scripts.bench.quiet import PATIENCE_S, wait_until_quiet
from scripts.bench.results import Measurement, Occasion, Report, Skipped, Taken
from scripts.console import step

LOG_LINES = 60


class Benchmark(Protocol):
    """A benchmark's ``measure``. ``quick``: small sizes, for a first impression only."""

    def __call__(self, lab: Lab, *, quick: bool) -> Awaitable[list[Measurement]]: ...


BENCHMARKS: dict[str, Benchmark] = {
    "crossover": crossover.measure,
    "fidelity": fidelity.measure,
    "agent-cpu": agent_cpu.measure,
    "product-cpu": product_cpu.measure,
    "dead-time": dead_time.measure,
    "sample-to-screen": sample_to_screen.measure,
    "thousand-hosts": thousand_hosts.measure,
    "thousand-viewers": thousand_viewers.measure,
    "live-page": live_page.measure,
    "weights": weights.measure,
    "ingest": ingest.measure,
    "backlog": backlog.measure,
    "series-query": series_query.measure,
    "lists": lists.measure,
    "raw-size": raw_size.measure,
    "rewindow": rewindow.measure,
    "idle-hold": idle_hold.measure,
    "open-loop": open_loop.measure,
    "hostile-clients": hostile_clients.measure,
    "queue": queue.measure,
}


def run(lab: Lab, names: Sequence[str], *, quick: bool) -> Report:
    """Run the named benchmarks one after another, each once the machine is quiet."""
    facts = asyncio.run(machine.facts(lab))
    taken: list[Taken] = []
    skipped: list[Skipped] = []
    for name in names:
        with step(f"Benchmark {name}"):
            occasion = Occasion(
                name,
                f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
                machine.commit(),
                wait_until_quiet(0 if quick else PATIENCE_S),
                quick,
            )
            try:
                measures = asyncio.run(_as_coroutine(BENCHMARKS[name], lab, quick=quick))
            except Exception as error:  # noqa: BLE001  any error is reported, and the other benchmarks continue
                traceback.print_exc()
                print(_last_words(lab))
                skipped.append(Skipped(name, f"{type(error).__name__}: {error}"))
            else:
                taken += [Taken(measure, occasion) for measure in measures]
    return Report(facts, taken, skipped)


def _last_words(lab: Lab) -> str:
    """The end of the backend's log, which is removed with the stack."""
    lines = (lab.settings.logs / "backend.log").read_text(errors="replace").splitlines()
    return "\n".join(["End of the backend's log:", *lines[-LOG_LINES:]])


async def _as_coroutine(benchmark: Benchmark, lab: Lab, *, quick: bool) -> list[Measurement]:
    return await benchmark(lab, quick=quick)
