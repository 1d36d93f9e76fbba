"""A private stack, and what benchmarks do with it: experiments with one arm, runs that are watched, its database."""

import asyncio
import contextlib
import json
import multiprocessing
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection as PipeEnd
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import asyncpg
import httpx2
from ngxlab_worker.nginx.ports import free_ports

from scripts.bench.copies import Connection
from scripts.bench.report import NotMeasuredError
from scripts.console import Failure
from scripts.stack import backend, commands
from scripts.stack import credentials as credential_store
from scripts.stack.processes import ProcessId
from scripts.stack.services import migration_environment
from scripts.stack.settings import Settings

ARM = "reuseport"
"""The level, and so the arm, that benchmarks run."""
ANSWER_TIMEOUT_S = 20
SILENCE_S = 30
"""The backend sends a sign of life every 10 s."""
PACKING_PATIENCE_S = 600
PREFIX = "ngxlab-bench-"
OWNER_FILE = "bench.owner"
Seen = TypeVar("Seen")

_ENDED_LONG_AGO = """
    UPDATE run SET finished_at = finished_at - interval '1 hour'
    WHERE finished_at IS NOT NULL AND packed_at IS NULL AND ($1::uuid IS NULL OR id = $1)
"""
_NOT_PACKED = """
    SELECT EXISTS (
        SELECT FROM run WHERE finished_at IS NOT NULL AND raw_removed_at IS NULL
            AND (packed_at IS NULL OR raw_bytes IS NULL) AND ($1::uuid IS NULL OR id = $1)
    )
"""
_PHASES = """
    SELECT trial.id::text AS trial_id, trial_event.event ->> 'phase' AS phase, trial_event.t_us
    FROM trial JOIN trial_event ON trial_event.trial_id = trial.id
    WHERE trial.run_id = $1 AND trial.state = 'completed' AND trial_event.event ->> 'kind' = 'phase'
    ORDER BY trial.position, trial_event.t_us
"""


class LiveEvent(NamedTuple):
    """``arrived_us``: this machine's clock, microseconds since the epoch. ``seq``: the event's stream position."""

    arrived_us: int
    seq: int
    name: str
    data: str


class Load(NamedTuple):
    """When a trial's load began and its measured window began and ended; microseconds on the host's clock."""

    began_us: int
    measured_from_us: int
    measured_until_us: int


@dataclass(frozen=True)
class Lab:
    """A running private stack. ``token`` is a personal API token, ``host_id`` this machine."""

    settings: Settings
    environment: Mapping[str, str]
    token: str
    host_id: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    @asynccontextmanager
    async def client(self, timeout_s: float = ANSWER_TIMEOUT_S) -> AsyncIterator[httpx2.AsyncClient]:
        """The API, with any number of connections."""
        async with httpx2.AsyncClient(
            base_url=f"{self.settings.url}/api/v1",
            headers=self.headers,
            timeout=timeout_s,
            limits=httpx2.Limits(max_connections=None),
        ) as client:
            yield client

    async def get(self, path: str) -> Any:
        return await self._ask("GET", path, None)

    async def post(self, path: str, body: object) -> Any:
        return await self._ask("POST", path, body)

    async def _ask(self, method: str, path: str, body: object) -> Any:
        """The JSON answer. Raises :class:`Failure` with the problem document."""
        async with self.client() as client:
            response = await client.request(method, path, json=body)
        if not response.is_success:
            raise Failure(f"{method} {path}: {response.status_code} {response.text[:500]}")
        return response.json()

    @asynccontextmanager
    async def database(self) -> AsyncIterator[Connection]:
        """A connection of its own as the database's owner, with JSONB as Python values."""
        connection = await asyncpg.connect(self.environment["NGXLAB_MIGRATION_DATABASE_URL"])
        try:
            await connection.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
            yield connection
        finally:
            await connection.close()

    async def experiment(self, **parameters: float) -> dict[str, Any]:
        """An experiment from the template ``reuseport``, without cool-down; as the API shows it."""
        body = {"name": "Benchmark", "template_key": "reuseport", "parameters": {"cooldown_s": 0, **parameters}}
        made: dict[str, Any] = await self.post("/experiments", body)
        return made

    async def one_arm_experiment(
        self,
        *,
        blocks: int = 1,
        warmup_s: float,
        measure_s: float,
        interval_ms: int = 1000,
        change: Callable[[dict[str, Any]], None] | None = None,
    ) -> dict[str, Any]:
        """An experiment whose run is ``blocks`` trials of :data:`ARM`.

        Templates always compare arms. The stored definition is reduced to one arm, so that a benchmark can do
        something else between two trials; and to one nginx worker, which together with wrk's one thread uses two
        cores fully without competing for them, so that the cost of anything else shows above the noise. ``change`` is
        made to the definition besides.
        """
        made = await self.experiment(blocks=blocks, warmup_s=warmup_s, measure_s=measure_s, interval_ms=interval_ms)
        definition = made["definition"]
        for factor in definition["factors"]:
            factor["levels"] = [level for level in factor["levels"] if level["key"] == ARM]
        definition["baseline"] = ARM
        definition["nginx"]["workers"] = 1
        if change is not None:
            change(definition)
        async with self.database() as connection:
            await connection.execute(
                "UPDATE experiment_version SET definition = $2 WHERE id = $1", made["version_id"], definition
            )
        found: dict[str, Any] = await self.get(f"/experiments/{made['id']}")
        return found

    async def start_run(self, experiment: dict[str, Any], **where: object) -> str:
        """Queue a run, on this machine or on other ``hosts``; its id."""
        run = await self.post(f"/experiments/{experiment['id']}/runs", where or {"host_id": self.host_id})
        return str(run["id"])

    async def cancel_runs(self) -> None:
        """End what a benchmark that failed has left running, so that the next one is alone."""
        async with self.database() as connection:
            running = await connection.fetch(
                "SELECT id::text FROM run WHERE state NOT IN ('completed', 'failed', 'cancelled')"
            )
        for (run_id,) in running:
            await self.post(f"/runs/{run_id}/cancel", {})

    async def run(self, experiment: dict[str, Any], note: Callable[[LiveEvent], None] | None = None) -> dict[str, Any]:
        return await self.follow(await self.start_run(experiment), note)

    async def follow(self, run_id: str, note: Callable[[LiveEvent], None] | None = None) -> dict[str, Any]:
        """Watch a run until it is completed and analysed; the run as in the last event.

        Raises :class:`NotMeasuredError` where it ends otherwise.
        """
        async with self.client(SILENCE_S) as client:
            async for event in live_events(client, run_id):
                if note is not None:
                    note(event)
                if event.name not in {"snapshot", "run"}:
                    continue
                run: dict[str, Any] = json.loads(event.data)
                if run["state"] in {"failed", "cancelled"}:
                    raise NotMeasuredError(f"a run ended as {run['state']}: {run['state_reason']}")
                # There is a headline once the analysis is done: then the backend is idle again.
                if run["state"] == "completed" and run["headline"] is not None:
                    return run
        raise NotMeasuredError("the live stream ended before the run")


async def live_events(client: httpx2.AsyncClient, run_id: str) -> AsyncIterator[LiveEvent]:
    """The run's events as a browser reads them, for as long as the backend sends them."""
    async with client.stream("GET", f"/runs/{run_id}/live") as response:
        response.raise_for_status()
        fields: dict[str, str] = {}
        arrived_us = 0
        async for line in response.aiter_lines():
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
                arrived_us = time.time_ns() // 1000
            elif "data" in fields:
                yield LiveEvent(arrived_us, int(fields.get("id", 0)), fields["event"], fields["data"])
                fields = {}


async def loads(connection: Connection, run_id: str) -> dict[str, Load]:
    phases: dict[str, dict[str, int]] = {}
    for row in await connection.fetch(_PHASES, run_id):
        phases.setdefault(row["trial_id"], {})[row["phase"]] = row["t_us"]
    if not phases:
        raise NotMeasuredError("the run has no completed trial")
    return {trial: Load(at["warmup"], at["measure"], at["cooldown"]) for trial, at in phases.items()}


async def packed(connection: Connection, run_id: str | None = None) -> float:
    """Have a run, or all that are over, packed and measured again at once, instead of some minutes after their end.

    Seconds that it took, with the wait for the backend's look.
    """
    began = time.perf_counter()
    await connection.execute(_ENDED_LONG_AGO, run_id)
    while await connection.fetchval(_NOT_PACKED, run_id):
        if time.perf_counter() - began > PACKING_PATIENCE_S:
            raise NotMeasuredError(f"what is over was not packed within {PACKING_PATIENCE_S} s")
        await asyncio.sleep(0.2)
    return time.perf_counter() - began


@contextmanager
def own_process(
    work: Callable[..., Coroutine[Any, Any, None]], seen: Seen, *given: object
) -> Iterator[Callable[[], Seen]]:
    """A process of its own that does ``work(seen, *given)``; gives what asks it for what it has seen so far."""
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=_do, args=(work, theirs, seen, given))
    process.start()
    theirs.close()  # who asks is told where the process has ended

    def ask() -> Seen:
        mine.send("so far")
        answer: Seen = mine.recv()
        return answer

    try:
        yield ask
    finally:
        process.kill()
        process.join()


def _do(
    work: Callable[..., Coroutine[Any, Any, None]], asked: "PipeEnd[Any, Any]", seen: object, given: Sequence[object]
) -> None:
    async def answering() -> None:
        def answer() -> None:
            asked.recv()
            asked.send(seen)

        asyncio.get_running_loop().add_reader(asked.fileno(), answer)
        await work(seen, *given)

    asyncio.run(answering())


@contextmanager
def private_stack() -> Iterator[Lab]:
    """Start a stack, and at the end stop and remove it. Raises :class:`Failure` where it does not start.

    The folder names the process that it belongs to, so that the next benchmark finds and removes the stack of one
    that was killed.
    """
    _remove_orphans()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    folder.chmod(0o755)  # PostgreSQL, Redis, nginx and wrk are other users and must pass
    settings = _settings(folder)
    try:
        owner = ProcessId.of(os.getpid())
        assert owner is not None
        owner.write(folder / OWNER_FILE)
        started = commands.bring_up(settings)
        host = backend.own_host(settings)
        if host is None:
            raise Failure("this machine is not among the hosts of the benchmark's stack")
        token = backend.tool_token(settings, started.environment, "bench")
        as_owner = migration_environment(settings, credential_store.ensure(settings))
        yield Lab(settings, as_owner, token, str(host.id))
    finally:
        _remove(settings)


def _settings(folder: Path) -> Settings:
    port, postgres_port, redis_port = free_ports(3)
    # Only the user of the load is the caller's setting: others would make results depend on a .env file.
    run_as = os.environ.get("NGXLAB_RUN_AS")
    return Settings(
        data=folder,
        bind="127.0.0.1",
        port=port,
        postgres_port=postgres_port,
        redis_port=redis_port,
        database_url=None,
        redis_url=None,
        administrator="bench@localhost",
        passed_on={"NGXLAB_RUN_AS": run_as} if run_as else {},
    )


def _remove(settings: Settings) -> None:
    commands.down(settings)
    shutil.rmtree(settings.data)


def _remove_orphans() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(PermissionError):  # another user's
            owner = ProcessId.read(folder / OWNER_FILE)
            if owner is not None and not owner.alive():
                _remove(_settings(folder))
