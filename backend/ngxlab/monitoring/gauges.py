"""What is read when somebody asks: states in PostgreSQL, queues in Redis, loops and viewers of this process."""

from datetime import datetime

from prometheus_client import CollectorRegistry, Gauge
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.bus import Bus
from ngxlab.core.clock import utcnow
from ngxlab.core.health import Ages
from ngxlab.monitoring import repository
from ngxlab.runs.coordinators import liveliness
from ngxlab.runs.states import RunState


class Gauges:
    """One reading; ``registry`` has what could be read."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"ngxlab_{name}", text, labels, registry=self.registry)

    def note_process(self, ages: Ages, viewers: int) -> None:
        age = self._gauge("loop_age_seconds", "Since the last round of a loop of the backend", "loop")
        for name, age_s in ages.items():
            age.labels(name).set(age_s())
        self._gauge("stream_subscribers", "Live streams open in this process").set(viewers)

    async def read_database(self, session: AsyncSession) -> None:
        runs = self._gauge("runs", "Runs by state", "state")
        counted = await repository.runs_by_state(session)
        for state in RunState:
            runs.labels(state).set(counted.get(state, 0))
        _, age_s = await liveliness(session)
        if age_s is not None:
            self._gauge("coordinator_age_seconds", "Since a coordinator last called").set(age_s)
        self._note_hosts(await repository.heartbeats(session), utcnow())

    def _note_hosts(self, heartbeats: dict[str, datetime | None], now: datetime) -> None:
        """A host's name is a label: there are as many as are registered now."""
        self._gauge("hosts", "Registered hosts").set(len(heartbeats))
        age = self._gauge("host_heartbeat_age_seconds", "Since a host's last heartbeat", "host")
        for name, at in heartbeats.items():
            if at is not None:
                age.labels(name).set(max(0.0, (now - at).total_seconds()))

    async def read_queues(self, session: AsyncSession, bus: Bus) -> None:
        waiting = self._gauge("queue_length", "Hints waiting in Redis", "queue")
        for kind, length in (await repository.queue_lengths(session, bus)).items():
            waiting.labels(kind).set(length)
