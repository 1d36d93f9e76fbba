"""The endpoint that Prometheus scrapes."""

from hmac import compare_digest
from ipaddress import ip_address

import structlog
from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CollectorRegistry, Gauge, generate_latest
from redis.exceptions import RedisError
from sqlalchemy.exc import SQLAlchemyError

from ngxlab.core.access import GuardedRoute, bearer_token, decision
from ngxlab.core.config import Settings
from ngxlab.core.errors import NotFound, NotSignedIn
from ngxlab.core.process_metrics import REGISTRY
from ngxlab.core.request_context import FRONT
from ngxlab.monitoring.gauges import Gauges

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
