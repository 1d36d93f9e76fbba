"""The endpoint that Prometheus scrapes."""

import structlog
from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CollectorRegistry, Gauge, generate_latest
from redis.exceptions import RedisError
from sqlalchemy.exc import SQLAlchemyError

from ngxlab.core.access import GuardedRoute
from ngxlab.core.counted import REGISTRY
from ngxlab.monitoring.access import monitor
from ngxlab.monitoring.gauges import Gauges

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
