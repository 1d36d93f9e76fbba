"""The endpoint that Prometheus scrapes."""

from datetime import datetime
from hmac import compare_digest
from ipaddress import ip_address

import structlog
from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CollectorRegistry, Gauge, generate_latest
from redis.exceptions import RedisError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.access import GuardedRoute, bearer_token, decision
from ngxlab.core.bus import Bus
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.errors import NotFound, NotSignedIn
from ngxlab.core.health import Ages
from ngxlab.core.process_metrics import REGISTRY
from ngxlab.core.request_context import FRONT
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


_FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip")


@decision("monitor")
async def monitor(request: Request) -> None:
    """Dependency. Raises NotFound where no setting opens the page, NotSignedIn for a wrong token."""
    settings: Settings = request.app.state.settings
    if settings.metrics_loopback and _is_from_this_machine(request):
        return
    if settings.metrics_token is None:
        raise NotFound("There is no such page.")
    given = (bearer_token(request) or "").encode()
    if not compare_digest(given, settings.metrics_token.get_secret_value().encode()):
        raise NotSignedIn("Metrics need their token: Authorization: Bearer …")


def _is_from_this_machine(request: Request) -> bool:
    """A proxy on this machine connects over loopback too, on behalf of anybody.

    The front names whoever asks, but for somebody on this machine who asks on behalf of nobody else.
    """
    if request.client is None or any(name in request.headers for name in _FORWARDED):
        return False
    return request.client.host == FRONT or ip_address(request.client.host).is_loopback


log = structlog.get_logger()

router = APIRouter(route_class=GuardedRoute, dependencies=[Depends(monitor)], include_in_schema=False)
_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Everything that can be read now; a database or Redis that is away is a metric, not an error."""
    state, gauges, reached = request.app.state, Gauges(), {"postgresql": 1, "redis": 1}
    gauges.note_process(state.loops, state.hub.viewers())
    try:
        async with state.database.transaction() as session:
            await gauges.read_database(session)
            await gauges.read_queues(session, state.database.bus)
    except (SQLAlchemyError, OSError) as error:
        reached["postgresql"] = 0
        log.warning("metrics without PostgreSQL", error=type(error).__name__)
    except RedisError as error:
        reached["redis"] = 0
        log.warning("metrics without Redis", error=type(error).__name__)
    text = generate_latest(REGISTRY) + generate_latest(gauges.registry) + generate_latest(_up(reached))
    return Response(text, media_type=_CONTENT_TYPE)


def _up(reached: dict[str, int]) -> CollectorRegistry:
    registry = CollectorRegistry()
    up = Gauge("ngxlab_up", "1 where the backend could read it for this answer", ["part"], registry=registry)
    for part, value in reached.items():
        up.labels(part).set(value)
    return registry
