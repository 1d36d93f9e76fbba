"""What this process counts of itself for ``/metrics``. No label can take more values than the code has names for it."""

import time

from prometheus_client import CollectorRegistry, Counter, Histogram, PlatformCollector, ProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)

REQUESTS = Counter("ngxlab_http_requests", "Requests answered", ["method", "route", "status"], registry=REGISTRY)
DURATIONS = Histogram(
    "ngxlab_http_request_duration_seconds",
    "Time to the head of the answer",
    ["route"],
    buckets=(0.005, 0.02, 0.1, 0.5, 2, 10),
    registry=REGISTRY,
)
INGESTED = Counter("ngxlab_ingest_rows", "Rows of telemetry stored", ["table"], registry=REGISTRY)
BATCHES = Counter("ngxlab_ingest_batches", "Batches of telemetry stored", registry=REGISTRY)

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class CountedRequests:
    """Counts every answer under the route as it is declared, never under the path that somebody typed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()

        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = str(getattr(scope.get("route"), "path", "none"))
                method = scope["method"] if scope["method"] in _METHODS else "other"
                REQUESTS.labels(method, route, message["status"]).inc()
                DURATIONS.labels(route).observe(time.perf_counter() - started)
            await send(message)

        await self._app(scope, receive, counting)
