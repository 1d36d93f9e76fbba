"""Many hosts in one process: each does what an agent does to backend and Redis, and no trial takes place.

A host sends heartbeats as often as agents do, waits for hints in its queue, and plays its part of the trials that it is
given: claims, gets ready, waits for orders and for the instant of the start, posts a batch a second, and ends.
"""

import asyncio
import base64
import json
import multiprocessing
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from ngxlab_contracts.broker import broker_password, host_user
from ngxlab_contracts.hosts import AgentIdentity, Heartbeat
from ngxlab_contracts.protocol import CURRENT
from ngxlab_contracts.queues import host_queue
from ngxlab_contracts.telemetry import Batch, EndpointEvent, Frame, Layout, PhaseEvent, SeriesDef, TrialEnd
from ngxlab_contracts.trials import TARGET_ENDPOINT, ClaimRequest, TrialSpec
from ngxlab_worker.agent.heartbeat import REST_INTERVAL_S, TRIAL_INTERVAL_S

_PATIENCE_S = 40.0


class Http:
    """Requests one after the other over one connection, which is opened again where it has ended."""

    def __init__(self, address: str, port: int, bearer: str) -> None:
        self._address, self._port, self._bearer = address, port, bearer
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._turn = asyncio.Lock()

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """Status and body of the answer. Raises OSError, EOFError and TimeoutError."""
        request = (
            f"{method} /api/v1{path} HTTP/1.1\r\nHost: ngxlab\r\nAuthorization: Bearer {self._bearer}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode() + body
        async with self._turn, asyncio.timeout(_PATIENCE_S):
            try:
                return await self._exchange(request)
            except BaseException:
                self._close()
                raise

    async def _exchange(self, request: bytes) -> tuple[int, bytes]:
        if self._streams is None or self._streams[0].at_eof():
            self._close()
            self._streams = await asyncio.open_connection(self._address, self._port)
        reader, writer = self._streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        at = head.find(b"content-length: ")
        length = int(head[at + 16 : head.index(b"\r\n", at)]) if at >= 0 else 0
        return int(head.split(b" ", 2)[1]), await reader.readexactly(length)

    def _close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


class Queue:
    """A list in Redis from which messages are taken as Celery does: waiting for five seconds at a time."""

    def __init__(self, address: str, port: int, user: str, password: str, name: str) -> None:
        self._address, self._port = address, port
        self._login, self._take = _order("AUTH", user, password), _order("BRPOP", name, "5")
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def take(self) -> bytes | None:
        """The next message; ``None`` where none came. Raises OSError and EOFError."""
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection(self._address, self._port)
                self._streams[1].write(self._login)
                if not (answer := await self._streams[0].readline()).startswith(b"+OK"):
                    raise ConnectionRefusedError(answer.decode())
            reader, writer = self._streams
            writer.write(self._take)
            parts = int((await reader.readline())[1:])
            values = [await self._value(reader) for _ in range(max(0, parts))]
            return values[1] if values else None
        except (OSError, EOFError, ValueError) as error:
            if self._streams is not None:
                self._streams[1].close()
                self._streams = None
            raise ConnectionError(str(error)) from error

    @staticmethod
    async def _value(reader: asyncio.StreamReader) -> bytes:
        length = int((await reader.readline())[1:])
        return (await reader.readexactly(length + 2))[:-2]


def _order(*words: str) -> bytes:
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w.encode()), w.encode()) for w in words)


LAYOUTS, WIDTH = 8, 15
"""Collectors of a small host, and series of each."""


class Credentials(NamedTuple):
    host_id: UUID
    credential: str


@dataclass
class Load:
    """What the hosts saw. Milliseconds until answers; ``due`` batches are one a second and host of a measured trial."""

    beats_ms: list[float] = field(default_factory=list)
    beats_failed: int = 0
    batches_ms: list[float] = field(default_factory=list)
    batches_late: int = 0
    ended: int = 0
    errors: list[str] = field(default_factory=list)


class _Host:
    def __init__(self, place: tuple[str, int], broker: tuple[str, int], known: Credentials, load: Load) -> None:
        self._place, self._known, self._load = place, known, load
        self._instance = uuid4()
        self._http = Http(*place, known.credential)
        user, password = host_user(known.host_id), broker_password(known.credential)
        self._queue = Queue(*broker, user, password, host_queue(known.host_id))
        self._active: UUID | None = None
        self._playing: set[asyncio.Task[None]] = set()

    async def beat_for_ever(self) -> None:
        identity = AgentIdentity(
            protocol=str(CURRENT), version="bench", hostname="bench", machine=str(self._known.host_id), boot_id="bench"
        )
        await asyncio.sleep(random.uniform(0, REST_INTERVAL_S))
        while True:
            beat = Heartbeat(
                agent_instance=self._instance, sent_at_us=_now_us(), clock_offset_us=0, clock_rtt_us=200,
                active_trial=self._active, agent=identity,
            )  # fmt: skip
            began = time.perf_counter()
            try:
                status, _ = await self._http.ask("POST", "/agent/heartbeat", beat.model_dump_json().encode())
                self._load.beats_failed += status != 200
            except (OSError, EOFError, TimeoutError):
                self._load.beats_failed += 1
            self._load.beats_ms.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(REST_INTERVAL_S if self._active is None else TRIAL_INTERVAL_S)

    async def take_for_ever(self) -> None:
        while True:
            try:
                hint = await self._queue.take()
            except (OSError, EOFError):
                await asyncio.sleep(1)
                continue
            if hint is not None:
                trial_id = UUID(json.loads(base64.b64decode(json.loads(hint)["body"]))[0][0])
                if self._active != trial_id:
                    self._active = trial_id
                    task = asyncio.create_task(self._play_noted(trial_id))
                    self._playing.add(task)
                    task.add_done_callback(self._playing.discard)

    async def _play_noted(self, trial_id: UUID) -> None:
        try:
            await _Part(Http(*self._place, self._known.credential), trial_id, self._load).play(self._instance)
            self._load.ended += 1
        except Exception as error:  # noqa: BLE001  shown with the result
            self._load.errors.append(repr(error)[:300])
        finally:
            self._active = None


class _Part:
    """One host's part of one trial."""

    def __init__(self, http: Http, trial_id: UUID, load: Load) -> None:
        self._http, self._load = http, load
        self._path = f"/agent/trials/{trial_id}"
        self._seq = 0

    async def play(self, instance: UUID) -> None:
        claim = ClaimRequest(agent_instance=instance, protocol=str(CURRENT))
        spec = TrialSpec.model_validate(await self._asked("POST", "/claim", claim.model_dump_json().encode()))
        await self._tell(events=[_phase("preparing"), *_endpoints(spec), _phase("ready")])
        start_us = await self._start_us()
        await asyncio.sleep(max(0.0, start_us / 1e6 - time.time()))
        layouts = [_layout(number) for number in range(LAYOUTS)]
        await self._tell(layouts=layouts, events=[_phase("warmup"), _phase("measure")])
        await self._measure(spec.timing.measure_s)
        await self._tell(events=[_phase("cooldown"), _phase("cleanup"), _end()])

    async def _start_us(self) -> int:
        revision = 0
        while True:
            control = await self._asked("GET", f"/control?wait_s=20&beyond={revision}")
            if control.get("start_at_us") is not None:
                return int(control["start_at_us"])
            if control.get("command", "continue") != "continue":
                raise RuntimeError(f"told to {control['command']} before the start")
            revision = int(control.get("revision", 0))

    async def _measure(self, seconds: float) -> None:
        began = time.monotonic()
        for second in range(1, int(seconds) + 1):
            await asyncio.sleep(max(0.0, began + second - time.monotonic()))
            now_us = _now_us()
            values = [float(second)] * WIDTH
            frames = [Frame(layout=n, t_us=now_us + n, took_us=100, values=values) for n in range(LAYOUTS)]
            asked = time.perf_counter()
            await self._tell(frames=frames)
            took_ms = (time.perf_counter() - asked) * 1000
            self._load.batches_ms.append(took_ms)
            self._load.batches_late += took_ms > 1000

    async def _tell(self, **content: Any) -> None:
        self._seq += 1
        await self._asked(
            "POST", "/batches", Batch(seq=self._seq, clock_offset_us=0, **content).model_dump_json().encode()
        )

    async def _asked(self, method: str, path: str, body: bytes = b"") -> dict[str, Any]:
        status, answer = await self._http.ask(method, self._path + path, body)
        if status != 200:
            raise RuntimeError(f"{method} {path}: {status} {answer[:200]!r}")
        found: dict[str, Any] = json.loads(answer)
        return found


def _phase(name: Any) -> PhaseEvent:
    return PhaseEvent(t_us=_now_us(), phase=name)


def _endpoints(spec: TrialSpec) -> list[EndpointEvent]:
    if spec.nginx is None:
        return []
    ports = list(range(10_000, 10_000 + spec.nginx.ports))
    return [EndpointEvent(t_us=_now_us(), name=TARGET_ENDPOINT, address=spec.nginx.address, ports=ports)]


def _layout(number: int) -> Layout:
    series = [SeriesDef(name=f"bench_{n}_total", unit="things", kind="counter") for n in range(WIDTH)]
    return Layout(id=number, collector=f"bench{number}", series=series)


def _end() -> TrialEnd:
    return TrialEnd(t_us=_now_us(), outcome="completed", code="ok", reason="The benchmark's part is over.")


def _now_us() -> int:
    return time.time_ns() // 1000


class Fleet:
    """A running fleet."""

    def __init__(self, answers: Connection) -> None:
        self._answers = answers

    def load(self) -> Load:
        """What its hosts have seen since this was last asked."""
        self._answers.send("so far")
        found: Load = self._answers.recv()
        return found


@contextmanager
def fleet(place: tuple[str, int], broker: tuple[str, int], hosts: Sequence[Credentials]) -> Iterator[Fleet]:
    """Agents for these hosts, until the end."""
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=_run, args=(place, broker, list(hosts), theirs))
    process.start()
    try:
        yield Fleet(mine)
    finally:
        process.kill()
        process.join()


def _run(place: tuple[str, int], broker: tuple[str, int], hosts: list[Credentials], asked: Connection) -> None:
    asyncio.run(_run_all(place, broker, hosts, asked))


async def _run_all(
    place: tuple[str, int], broker: tuple[str, int], hosts: list[Credentials], asked: Connection
) -> None:
    load = Load()

    def answer() -> None:
        asked.recv()
        asked.send(load)
        load.__init__()  # type: ignore[misc]  # the hosts hold on to it

    asyncio.get_running_loop().add_reader(asked.fileno(), answer)
    agents = [_Host(place, broker, known, load) for known in hosts]
    await asyncio.gather(*(work for agent in agents for work in (agent.beat_for_ever(), agent.take_for_ever())))
