"""Drive the backend over HTTP as its clients do: people, an agent, a coordinator."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import httpx2
from ngxlab.accounts import service as accounts
from ngxlab.accounts.models import Account, Passkey, Role
from ngxlab.accounts.schemas import AccountCreate
from ngxlab.core.bus import Bus
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.hosts.service import create_enrolment_token
from ngxlab_contracts.engines import NATIVE_ENGINES
from ngxlab_contracts.hosts import (
    PROFILE,
    AgentIdentity,
    Capability,
    Cpu,
    Heartbeat,
    Inventory,
    NginxBinary,
    Nic,
    WrkBinary,
)
from ngxlab_contracts.protocol import CURRENT
from ngxlab_contracts.telemetry import Batch, EndpointEvent, Frame, Layout, PhaseEvent, SeriesDef, TrialEnd
from redis.asyncio import Redis
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

COORDINATOR_TOKEN = "test-coordinator-" + "x" * 32
API = "/api/v1"
_ONE_REQUEST_A_CONNECTION = httpx2.Limits(max_keepalive_connections=0)
"""Thousands of clients live as long as the tests' backend: each would keep a file open."""
INSTALLED = "/srv/tools/ngxlab"
"""The folder in which a host has its agent."""
T0_US = 1_800_000_000_000_000


def inventory(**changes: Any) -> Inventory:
    """A plausible small host."""
    base = Inventory(
        agent_version="0.1.0",
        hostname="testhost",
        boot_id="00000000-0000-0000-0000-000000000001",
        kernel="6.1.0",
        os="Debian GNU/Linux 12",
        python="3.11.2",
        cpu=Cpu(model="Test CPU", logical=2, physical=2, mhz=None, governor=None),
        memory_bytes=8 << 30,
        nics=[Nic(name="lo", addresses=["127.0.0.1"], speed_mbps=None, mtu=65536)],
        limits={"nofile_soft": "1024", "nofile_hard": "20000"},
        settings={},
        nginx=[
            NginxBinary(
                path="/usr/sbin/nginx",
                version="1.22.1",
                configure_arguments=[],
                modules=["http_stub_status_module"],
                sha256="0" * 64,
            )
        ],
        wrk=WrkBinary(path="/usr/bin/wrk", version="4.1.0", sha256="0" * 64),
        capabilities=[
            Capability(name="isolation", available=True, detail="bubblewrap"),
            Capability(name=NATIVE_ENGINES, available=True, detail=f"{INSTALLED}/.venv/bin/ngxlab-openloop"),
            Capability(name=PROFILE, available=True, detail="perf"),
        ],
    )
    return base.model_copy(update=changes)


def identity(protocol: str = str(CURRENT)) -> AgentIdentity:
    """An agent on that host."""
    return AgentIdentity(protocol=protocol, version="0.1.0", hostname="testhost", machine="", boot_id="")


def enrolment(token: str, name: str, **changes: Any) -> dict[str, Any]:
    """What such an agent sends to join."""
    told = inventory(**changes).model_dump(mode="json")
    return {"token": token, "name": name, "inventory": told, "agent": identity().model_dump()}


def _claim(instance: UUID) -> dict[str, str]:
    return {"agent_instance": str(instance), "protocol": str(CURRENT)}


@dataclass
class Backend:
    """Where the backend is, and a door to its services for what only an operator can do."""

    url: str
    settings: Settings
    _clients: list[httpx2.Client] = field(default_factory=list)

    def client(self, bearer: str | None = None) -> httpx2.Client:
        headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        client = httpx2.Client(base_url=self.url + API, headers=headers, timeout=20, limits=_ONE_REQUEST_A_CONNECTION)
        self._clients.append(client)
        return client

    def close(self) -> None:
        for client in self._clients:
            client.close()

    def operator(self, work: Callable[[AsyncSession], Any]) -> Any:
        """Run one transaction as the operator's command line does."""

        async def run() -> Any:
            redis_url = self.settings.redis_url.get_secret_value()
            redis = Redis.from_url(redis_url)
            database = Database(self.settings.database_url.get_secret_value(), Bus(redis, redis_url))
            try:
                async with database.transaction() as session:
                    return await work(session)
            finally:
                await redis.aclose()
                await database.close()

        return asyncio.run(run())

    def person(self, role: Role = Role.administrator) -> "Person":
        """A new account, signed in."""
        email, password = f"{role}-{uuid4().hex[:8]}@example.org", secrets.token_urlsafe(12)
        request = AccountCreate(email=email, role=role)
        self.operator(lambda session: accounts.add_account(session, request, password))
        client = self.client()
        person = Person(client, email, password)
        person.sign_in()
        return person

    def lost_passkey(self, person: "Person") -> None:
        """The person is asked for a passkey from now on, which no device has."""

        async def add(session: AsyncSession) -> None:
            account_id = await session.scalar(select(Account.id).where(Account.email == person.email))
            key = {"credential_id": person.email.encode(), "credential": b"", "sign_count": 0, "name": "Lost"}
            session.add(Passkey(account_id=account_id, **key))

        self.operator(add)

    def agent(self, **changes: Any) -> "Agent":
        """A new host with one heartbeat behind it."""
        made = self.operator(lambda session: create_enrolment_token(session, self.settings, 5, None))
        body = enrolment(made.token, f"host-{uuid4().hex[:8]}", **changes)
        joined = self.client().post("/agent/enrol", json=body).raise_for_status().json()
        agent = Agent(self.client(joined["credential"]), UUID(joined["host_id"]), body["name"])
        agent.beat()
        return agent

    def coordinator(self) -> "Coordinator":
        return Coordinator(self.client(COORDINATOR_TOKEN))

    def measuring(self) -> tuple["Agent", str, str]:
        """A new host whose next batch is the sixth of its trial; the ids of the run and of the trial."""
        agent, coordinator = self.agent(), self.coordinator()
        run_id: str = self.person().run(agent)["id"]
        trial_id = coordinator.begin(run_id)
        agent.prepare(trial_id)
        coordinator.start(trial_id).raise_for_status()
        agent.measure(trial_id)
        return agent, run_id, trial_id


@dataclass
class Person:
    client: httpx2.Client
    email: str
    password: str

    def sign_in(self) -> None:
        body = {"email": self.email, "password": self.password}
        answer = self.client.post("/auth/login", json=body).raise_for_status()
        self.client.headers["X-CSRF-Token"] = answer.json()["csrf_token"]

    def experiment(self, **parameters: Any) -> dict[str, Any]:
        values = {"blocks": 1, "warmup_s": 1, "measure_s": 2, "cooldown_s": 0, **parameters}
        body = {"name": "An experiment", "template_key": "reuseport", "parameters": values}
        result: dict[str, Any] = self.client.post("/experiments", json=body).raise_for_status().json()
        return result

    def run(self, agent: "Agent", **parameters: Any) -> dict[str, Any]:
        """A queued run of a new experiment on the agent's host."""
        experiment = self.experiment(**parameters)
        agent.beat()
        body = {"host_id": str(agent.host_id), "seed": 1}
        result: dict[str, Any] = (
            self.client.post(f"/experiments/{experiment['id']}/runs", json=body).raise_for_status().json()
        )
        return result


@dataclass
class Coordinator:
    client: httpx2.Client
    holder: UUID = field(default_factory=uuid4)

    def lease(self, run_id: str) -> httpx2.Response:
        return self.client.post(f"/coordinator/runs/{run_id}/lease", json={"holder": str(self.holder)})

    def next(self, run_id: str) -> dict[str, Any]:
        answer = self.client.post(f"/coordinator/runs/{run_id}/next", json={"holder": str(self.holder)})
        result: dict[str, Any] = answer.raise_for_status().json()
        return result

    def begin(self, run_id: str) -> str:
        """Lease the run and have its next trial dispatched; its id."""
        self.lease(run_id).raise_for_status()
        step = self.next(run_id)
        assert step["kind"] == "trial", step
        trial_id: str = step["trial"]["trial_id"]
        return trial_id

    def start(self, trial_id: str) -> httpx2.Response:
        return self.client.post(f"/coordinator/trials/{trial_id}/start", json={"holder": str(self.holder)})


LAYOUT = Layout(
    id=0,
    collector="stub_status",
    series=[
        SeriesDef(name="nginx_connections_active", unit="connections", kind="gauge"),
        SeriesDef(name="nginx_connections_reading", unit="connections", kind="gauge"),
        SeriesDef(name="nginx_connections_writing", unit="connections", kind="gauge"),
        SeriesDef(name="nginx_connections_waiting", unit="connections", kind="gauge"),
        SeriesDef(name="nginx_connections_accepted_total", unit="connections", kind="counter"),
        SeriesDef(name="nginx_connections_handled_total", unit="connections", kind="counter"),
        SeriesDef(name="nginx_http_requests_total", unit="requests", kind="counter"),
        SeriesDef(name="ngxlab_stub_status_polls_total", unit="polls", kind="counter"),
    ],
)


def frame(second: int, rate: int = 1000) -> Frame:
    """stub_status after so many seconds at exactly ``rate`` requests a second, polled once a second."""
    requests = rate * second + second
    return Frame(
        layout=0, t_us=T0_US + second * 1_000_000, took_us=100, values=[11, 0, 1, 10, 11, 11, requests, second]
    )


@dataclass
class Agent:
    """Speaks the agent's protocol. What it reports is made up of round numbers, so that answers are known."""

    client: httpx2.Client
    host_id: UUID
    name: str
    instance: UUID = field(default_factory=uuid4)
    offset_us: int = 0
    """The server's clock minus the host's."""

    def beat(self, **changes: Any) -> httpx2.Response:
        beat = Heartbeat(
            agent_instance=self.instance,
            sent_at_us=T0_US,
            clock_offset_us=0,
            clock_rtt_us=200,
            active_trial=None,
            agent=identity(),
        ).model_copy(update=changes)
        return self.client.post("/agent/heartbeat", json=beat.model_dump(mode="json"))

    def claim(self, trial_id: str) -> httpx2.Response:
        return self.client.post(f"/agent/trials/{trial_id}/claim", json=_claim(self.instance))

    def send(self, trial_id: str, seq: int, **content: Any) -> httpx2.Response:
        batch = Batch(seq=seq, clock_offset_us=self.offset_us, **content)
        return self.client.post(f"/agent/trials/{trial_id}/batches", json=batch.model_dump(mode="json"))

    def phase(self, name: Any, second: int = 0) -> PhaseEvent:
        return PhaseEvent(t_us=T0_US + second * 1_000_000, phase=name)

    def prepare(self, trial_id: str) -> None:
        """Claim and become ready: batch 1."""
        self.claim(trial_id).raise_for_status()
        self.send(trial_id, 1, events=[self.phase("preparing"), self.phase("ready")]).raise_for_status()

    def measure(self, trial_id: str, *, ended: bool = True, rate: int = 1000) -> None:
        """Warm-up for a second, measure for two (or on): batches 2 to 5."""
        events = [self.phase("warmup", 0)]
        self.send(trial_id, 2, layouts=[LAYOUT], frames=[frame(0, rate)], events=events).raise_for_status()
        self.send(trial_id, 3, frames=[frame(1, rate)], events=[self.phase("measure", 1)]).raise_for_status()
        self.send(trial_id, 4, frames=[frame(2, rate)]).raise_for_status()
        events = [self.phase("cooldown", 3)] if ended else []
        self.send(trial_id, 5, frames=[frame(3, rate)], events=events).raise_for_status()

    def end(self, trial_id: str, seq: int = 6, outcome: Any = "completed", code: str = "ok") -> None:
        end = TrialEnd(t_us=T0_US + 3_000_000, outcome=outcome, code=code, reason="Reason as told.")
        self.send(trial_id, seq, events=[self.phase("cleanup", 3), end]).raise_for_status()

    def whole_trial(self, coordinator: Coordinator, trial_id: str, rate: int = 1000, **content: Any) -> None:
        """``content``: of a batch of its own, before the last one."""
        self.beat()  # a host that is silent for some seconds gets no further trial
        self.prepare(trial_id)
        coordinator.start(trial_id).raise_for_status()
        self.measure(trial_id, rate=rate)
        if content:
            self.send(trial_id, 6, **content).raise_for_status()
        self.end(trial_id, 7 if content else 6)


def fleet(backend: Backend) -> tuple[Agent, Agent, str]:
    """A target and a generator whose trial is measured; two batches of each are stored."""
    person, coordinator = backend.person(), backend.coordinator()
    nics = [Nic(name="eth0", addresses=[address], speed_mbps=1000, mtu=1500) for address in ("10.0.0.1", "10.0.0.2")]
    target, generator = (backend.agent(nics=[nic]) for nic in nics)
    body = {"hosts": {"target": str(target.host_id), "generator": str(generator.host_id)}}
    experiment = person.experiment()
    run = person.client.post(f"/experiments/{experiment['id']}/runs", json=body).raise_for_status().json()
    trial_id = coordinator.begin(run["id"])
    endpoint = EndpointEvent(t_us=T0_US, name="target", address="10.0.0.1", ports=[8080])
    for agent, first in ((target, [endpoint]), (generator, [])):
        agent.claim(trial_id).raise_for_status()
        agent.send(trial_id, 1, events=[agent.phase("preparing"), *first, agent.phase("ready")]).raise_for_status()
    coordinator.start(trial_id).raise_for_status()
    for agent in (target, generator):
        agent.send(trial_id, 2, events=[agent.phase("warmup"), agent.phase("measure")]).raise_for_status()
    return target, generator, trial_id


def english(sentence: Any) -> str:
    """What the API sends as a text, or as a template with its values."""
    return str(sentence["text"] if isinstance(sentence, dict) else sentence)
