"""Pretend hosts: one whose agent is the benchmark itself, and many in one process.

The one enrols, claims a trial and reports arbitrary batches. Each of the many does what an agent does to backend and
Redis, and no trial takes place: it sends heartbeats as often as agents do, waits for hints in its queue, and plays its
part of the trials that it is given: claims, gets ready, waits for orders and for the instant of the start, posts a
batch a second, and ends.
"""

import asyncio
import base64
import json
import random
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import redis.asyncio
from ngxlab_contracts.broker import broker_password, host_queue, host_user
from ngxlab_contracts.hosts import AgentIdentity, EnrolRequest, Heartbeat
from ngxlab_contracts.protocol import CURRENT
from ngxlab_contracts.telemetry import Batch, EndpointEvent, Frame, Layout, PhaseEvent, SeriesDef, TrialEnd
from ngxlab_contracts.trials import TARGET_ENDPOINT, ClaimRequest, TrialSpec
from ngxlab_worker.agent.heartbeat import REST_INTERVAL_S, TRIAL_INTERVAL_S
from ngxlab_worker.agent.this_host import describe_this_host, identify_agent
from ngxlab_worker.uplink.api_client import AgentClient, ApiRefusedError, EnrolClient

from scripts.bench.lab import Lab
from scripts.bench.report import NotMeasuredError
from scripts.stack import backend
from scripts.stack.waiting import wait_healthy

DISPATCH_PATIENCE_S = 20
ANSWER_PATIENCE_S = 40.0
LAYOUTS, WIDTH = 8, 15
"""Collectors of a small host of the fleet, and series of each."""

Address = tuple[str, int]


@dataclass
class PretendTrial:
    """A claimed trial in its measured window. ``next_seq`` is the next batch's number."""

    client: AgentClient
    trial_id: UUID
    host_id: UUID
    next_seq: int = 1

    def report(self, batch: Batch) -> None:
        self.client.send_batch(self.trial_id, batch.model_dump_json().encode())
        self.next_seq = batch.seq + 1


@asynccontextmanager
async def pretend_trial(lab: Lab) -> AsyncIterator[PretendTrial]:
    """A trial whose only data come from this benchmark. It is cancelled at the end."""
    host_id, credential = enrol(lab)
    experiment = await lab.one_arm_experiment(warmup_s=0, measure_s=3600)
    with AgentClient(lab.settings.url, credential) as client:
        instance = uuid4()
        _beat(client, instance)
        run_id = await lab.start_run(experiment, host_id=str(host_id))
        run = await lab.get(f"/runs/{run_id}")
        trial = PretendTrial(client, UUID(run["trials"][0]["id"]), host_id)
        complaint = wait_healthy(lambda: _claim_complaint(trial, instance), DISPATCH_PATIENCE_S)
        if complaint is not None:
            raise NotMeasuredError(f"the trial was not dispatched: {complaint}")
        trial.report(Batch(seq=1, clock_offset_us=0, events=[_phase("measure")]))
        try:
            yield trial
        finally:
            await lab.post(f"/runs/{run_id}/cancel", {})
            end = TrialEnd(t_us=_now_us(), outcome="cancelled", code="cancelled", reason="the benchmark is over")
            trial.report(Batch(seq=trial.next_seq, clock_offset_us=0, events=[end]))


def enrol(lab: Lab) -> tuple[UUID, str]:
    token = backend.server_command(lab.settings, lab.environment, "enrolment-token", "--minutes", "5")
    inventory = describe_this_host(lab.settings.passed_on.get("NGXLAB_RUN_AS"))
    request = EnrolRequest(token=token, name=f"bench-{uuid4().hex[:8]}", inventory=inventory, agent=identify_agent())
    with EnrolClient(lab.settings.url) as client:
        answer = client.enrol(request)
    return answer.host_id, answer.credential


def _beat(client: AgentClient, instance: UUID) -> None:
    client.heartbeat(
        Heartbeat(
            agent_instance=instance,
            sent_at_us=_now_us(),
            clock_offset_us=0,
            clock_rtt_us=0,
            active_trial=None,
            agent=identify_agent(),
        )
    )


def _claim_complaint(trial: PretendTrial, instance: UUID) -> str | None:
    try:
        trial.client.claim(trial.trial_id, instance)
    except ApiRefusedError as error:
        return str(error)
    return None


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
        async with self._turn, asyncio.timeout(ANSWER_PATIENCE_S):
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


class Credentials(NamedTuple):
    host_id: UUID
    credential: str


@dataclass
class Load:
    """What the hosts saw: milliseconds until answers, and what failed."""

    beats_ms: list[float] = field(default_factory=list)
    beats_failed: int = 0
    batches_ms: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def since(self, before: "Load") -> "Load":
        return Load(
            self.beats_ms[len(before.beats_ms) :],
            self.beats_failed - before.beats_failed,
            self.batches_ms[len(before.batches_ms) :],
            self.errors[len(before.errors) :],
        )


async def play_hosts(load: Load, place: Address, broker: Address, hosts: Sequence[Credentials]) -> None:
    """Agents for these hosts, until the end."""
    agents = [_Host(place, broker, known, load) for known in hosts]
    await asyncio.gather(*(work for agent in agents for work in (agent.beat_for_ever(), agent.take_for_ever())))


class _Host:
    def __init__(self, place: Address, broker: Address, known: Credentials, load: Load) -> None:
        self._place, self._known, self._load = place, known, load
        self._instance = uuid4()
        self._http = Http(*place, known.credential)
        user, password = host_user(known.host_id), broker_password(known.credential)
        # Without a limit on reading: what waits for a hint reads nothing for seconds.
        self._redis = redis.asyncio.Redis(
            host=broker[0], port=broker[1], username=user, password=password, socket_timeout=None
        )
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
        """Hints, as Celery takes them: waiting for five seconds at a time."""
        while True:
            try:
                taken = await self._redis.brpop([host_queue(self._known.host_id)], timeout=5)
            except (redis.exceptions.RedisError, OSError):
                await asyncio.sleep(1)
                continue
            if taken is not None:
                trial_id = UUID(json.loads(base64.b64decode(json.loads(taken[1])["body"]))[0][0])
                if self._active != trial_id:
                    self._active = trial_id
                    task = asyncio.create_task(self._play_noted(trial_id))
                    self._playing.add(task)
                    task.add_done_callback(self._playing.discard)

    async def _play_noted(self, trial_id: UUID) -> None:
        try:
            await _Part(Http(*self._place, self._known.credential), trial_id, self._load).play(self._instance)
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
        layouts = [layout(WIDTH, number) for number in range(LAYOUTS)]
        await self._tell(layouts=layouts, events=[_phase("warmup"), _phase("measure")])
        await self._measure(spec.timing.measure_s)
        await self._tell(
            events=[
                _phase("cooldown"),
                _phase("cleanup"),
                TrialEnd(t_us=_now_us(), outcome="completed", code="ok", reason="The benchmark's part is over."),
            ]
        )

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
            self._load.batches_ms.append((time.perf_counter() - asked) * 1000)

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


def _endpoints(spec: TrialSpec) -> list[EndpointEvent]:
    if spec.nginx is None:
        return []
    ports = list(range(10_000, 10_000 + spec.nginx.ports))
    return [EndpointEvent(t_us=_now_us(), name=TARGET_ENDPOINT, address=spec.nginx.address, ports=ports)]


def layout(width: int, number: int = 0) -> Layout:
    """The layout of a collector with so many counters."""
    series = [SeriesDef(name=f"bench_{n}_total", unit="things", kind="counter") for n in range(width)]
    return Layout(id=number, collector=f"bench{number}", series=series)


def _phase(name: Any) -> PhaseEvent:
    return PhaseEvent(t_us=_now_us(), phase=name)


def _now_us() -> int:
    return time.time_ns() // 1000
