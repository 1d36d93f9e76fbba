"""Runs what ``benchmarks.toml`` declares. JSON on standard output, progress and table on standard error."""

import argparse
import asyncio
import contextlib
import signal
import subprocess
import sys
import tomllib
import traceback
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter

from scripts.bench import (
    cpu,
    engines,
    fidelity,
    hostile_clients,
    hosts,
    ingest,
    open_loops,
    pages,
    queries,
    trials,
    viewers,
)
from scripts.bench.lab import Lab, private_stack
from scripts.bench.report import Budget, Found, Measurement, Occasion, Report, Skipped, Taken, as_json, as_table, write
from scripts.console import main_guard, step
from scripts.paths import ROOT

LOG_LINES = 60

MEASURED_BY: dict[str, Callable[..., Coroutine[Any, Any, dict[str, Found]]]] = {
    "crossover": fidelity.crossover,
    "profiling": fidelity.profiling,
    "fidelity": fidelity.beside_bare_tools,
    "agent-cpu": cpu.agent,
    "product-cpu": cpu.product,
    "dead-time": trials.dead_time,
    "sample-to-screen": viewers.sample_to_screen,
    "thousand-hosts": hosts.thousand_hosts,
    "thousand-viewers": viewers.thousand_viewers,
    "live-page": pages.live_page,
    "weights": pages.weights,
    "ingest": ingest.rate,
    "backlog": ingest.backlog,
    "series-query": queries.series,
    "lists": queries.lists,
    "raw-size": trials.raw_size,
    "rewindow": queries.rewindow,
    "idle-hold": engines.idle_hold,
    "open-loop": engines.open_loop,
    "mixes": open_loops.mixes,
    "http2": open_loops.http2,
    "walls": engines.walls,
    "hostile-clients": hostile_clients.hostile_clients,
    "queue": trials.queue,
}
"""Each takes the lab and its sizes by name, and gives a value for each figure."""


class Figure(NamedTuple):
    name: str
    what: str
    unit: str
    sense: Literal["at least", "at most"]
    limit: float


class Group(NamedTuple):
    """Figures that are measured in the same way."""

    definition: str
    values: list[Figure]


class Benchmark(NamedTuple):
    full: dict[str, int]
    quick: dict[str, int]
    figures: list[Group]


BENCHMARKS = TypeAdapter(dict[str, Benchmark]).validate_python(
    tomllib.loads(Path(__file__).with_name("benchmarks.toml").read_text())
)


def main() -> int:
    """Exit code 0 whatever the values are; 1 where a benchmark gave no value."""
    options = _options()
    signal.signal(signal.SIGTERM, _interrupt)  # the stack is stopped and removed in this case too
    names = options.only or list(BENCHMARKS)
    with contextlib.redirect_stdout(sys.stderr), private_stack() as lab:
        report = _run(lab, names, quick=options.quick)
    text = as_json(report)
    print(text)
    if options.json is not None:
        options.json.write_text(text + "\n")
    if options.write:
        write(report, list(BENCHMARKS))
    print(f"\n{as_table(report)}", file=sys.stderr)
    return 1 if report.not_measured else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scripts.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, under three minutes")
    parser.add_argument("--only", action="append", choices=list(BENCHMARKS), help="may be repeated")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the JSON document here as well")
    parser.add_argument("--write", action="store_true", help="renew these figures in docs/benchmarks.md")
    return parser.parse_args()


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _run(lab: Lab, names: Sequence[str], *, quick: bool) -> Report:
    """Run the named benchmarks one after another, each once the machine is quiet. The next follows where one fails."""
    facts = asyncio.run(_machine(lab))
    taken: list[Taken] = []
    skipped: list[Skipped] = []
    for name in names:
        with step(f"Benchmark {name}"):
            occasion = Occasion(
                name,
                f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
                _commit(),
                cpu.wait_until_quiet(0 if quick else cpu.QUIET_PATIENCE_S),
                quick,
            )
            try:
                sizes = BENCHMARKS[name].quick if quick else BENCHMARKS[name].full
                found = asyncio.run(MEASURED_BY[name](lab, **sizes))
                taken += [Taken(measure, occasion) for measure in _measurements(BENCHMARKS[name], sizes, found)]
            except Exception as error:  # noqa: BLE001  any error is reported, and the other benchmarks continue
                traceback.print_exc()
                print(_last_words(lab))
                asyncio.run(lab.cancel_runs())
                skipped.append(Skipped(name, f"{type(error).__name__}: {error}"))
    return Report(facts, taken, skipped)


def _measurements(benchmark: Benchmark, sizes: Mapping[str, int], found: Mapping[str, Found]) -> Iterator[Measurement]:
    for definition, figures in benchmark.figures:
        for figure in figures:
            one = found[figure.name]
            detail = {**sizes, **one.detail}
            yield Measurement(
                figure.name.format(**detail),
                figure.what.format(**detail),
                one.value,
                figure.unit,
                Budget(figure.sense, figure.limit),
                definition.format(**detail),
                detail,
                one.interval_95,
            )


def _last_words(lab: Lab) -> str:
    lines = (lab.settings.logs / "backend.log").read_text(errors="replace").splitlines()
    return "\n".join(["End of the backend's log:", *lines[-LOG_LINES:]])


async def _machine(lab: Lab) -> dict[str, Any]:
    """This machine's inventory as the agent reports it, and PostgreSQL's version."""
    inventory = (await lab.get(f"/hosts/{lab.host_id}"))["inventory"]
    async with lab.database() as connection:
        postgres = await connection.fetchval("SHOW server_version")
    return {
        "cpu": inventory["cpu"]["model"],
        "cores": inventory["cpu"]["logical"],
        "memory_gib": round(inventory["memory_bytes"] / 2**30, 1),
        "os": inventory["os"],
        "kernel": inventory["kernel"],
        "python": inventory["python"],
        "nginx": inventory["nginx"][0]["version"],
        "wrk": inventory["wrk"]["version"],
        "postgresql": postgres,
    }


def _commit() -> str:
    """The checkout's commit, marked as dirty where files differ from it."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return described.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main_guard(main))
