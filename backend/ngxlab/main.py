"""The application: settings, lifetime and routers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, cast

from fastapi import APIRouter, FastAPI
from ngxlab_contracts.version import VERSION
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from ngxlab.accounts.oidc.provider import Provider
from ngxlab.accounts.oidc.router import router as oidc_router
from ngxlab.accounts.passkeys_router import router as passkeys_router
from ngxlab.accounts.people_router import router as people_router
from ngxlab.accounts.router import router as sign_in_router
from ngxlab.accounts.teams_router import router as teams_router
from ngxlab.audit_log.router import router as audit_router
from ngxlab.compare.router import router as compare_router
from ngxlab.core import health, openapi, problems
from ngxlab.core.access import GuardedRoute
from ngxlab.core.answers import SoundAnswers
from ngxlab.core.bus import Bus, connect_redis
from ngxlab.core.config import Settings, get_settings
from ngxlab.core.database import Database
from ngxlab.core.jobs.kinds import Attendance
from ngxlab.core.process_metrics import CountedRequests
from ngxlab.core.request_context import FRONT, FromFront, RequestContextMiddleware
from ngxlab.core.shared_clock import SharedClock
from ngxlab.core.throttle import Throttle
from ngxlab.experiments.preview_process import PreviewProcess
from ngxlab.experiments.recipes_router import router as recipes_router
from ngxlab.experiments.router import router as experiments_router
from ngxlab.experiments.templates_router import documents as documents_router
from ngxlab.experiments.templates_router import router as templates_router
from ngxlab.exports.router import Turns
from ngxlab.exports.router import router as exports_router
from ngxlab.exports.router import shared_router as shared_exports_router
from ngxlab.hosts.router import router as hosts_router
from ngxlab.live.hub import Hub
from ngxlab.live.router import LongReaders
from ngxlab.live.router import router as live_router
from ngxlab.metrics.router import router as metrics_router
from ngxlab.monitoring.router import router as monitoring_router
from ngxlab.notes.router import router as notes_router
from ngxlab.notifications.router import router as notifications_router
from ngxlab.notifications.router import webhooks as notification_webhooks
from ngxlab.profiles.router import router as profiles_router
from ngxlab.reports.router import router as reports_router
from ngxlab.retention.host_history.router import router as host_history_router
from ngxlab.retention.router import router as retention_router
from ngxlab.runs import coordinators
from ngxlab.runs.router import router as runs_router
from ngxlab.runs.telemetry_router import router as telemetry_router
from ngxlab.schedules.router import router as schedules_router
from ngxlab.shares import link_preview
from ngxlab.shares.router import router as shares_router
from ngxlab.shares.shared_router import router as shared_router
from ngxlab.trends.router import router as trends_router
from ngxlab.worker_api.access import KnownCredentials
from ngxlab.worker_api.batches import Batches
from ngxlab.worker_api.heartbeats import Heartbeats
from ngxlab.worker_api.router import routers as worker_api_routers

API_PREFIX = "/api/v1"
_DESCRIPTION = """
Design experiments, run them on registered hosts, follow them, and read their verdicts: all that the pages do.

- Scripts show a personal token (*Account*, *Tokens*) as `Authorization: Bearer ...`.
- A refusal is a problem document (RFC 9457): `detail` is for people, `code` for programs, `errors` names fields.
- A list is answered in pages: give `next` as `start` for the one that follows.
- 429 and 503 say in `Retry-After` when to try again.
"""
_MAX_BODY_BYTES = 2 << 20
"""The bound of a request by people; batches of telemetry have a limit of their own."""
_LONGEST_GAP = timedelta(seconds=30)
"""Twice the pause after which a process asks for the database's clock, and more."""
_ROUTERS = (
    sign_in_router,
    oidc_router,
    passkeys_router,
    people_router,
    teams_router,
    recipes_router,
    templates_router,
    experiments_router,
    documents_router,
    runs_router,
    notes_router,
    retention_router,
    host_history_router,
    schedules_router,
    live_router,
    telemetry_router,
    compare_router,
    trends_router,
    metrics_router,
    reports_router,
    profiles_router,
    shares_router,
    shared_router,
    exports_router,
    shared_exports_router,
    hosts_router,
    notifications_router,
    audit_router,
)


@asynccontextmanager
async def _lifetime(app: FastAPI) -> AsyncIterator[None]:
    settings: Settings = app.state.settings
    redis_url, options = settings.redis_url.get_secret_value(), settings.redis_options
    redis = connect_redis(redis_url, **options)
    bus = Bus(redis, redis_url, **options)
    database = Database(settings.database_url.get_secret_value(), bus)
    app.state.redis, app.state.database, app.state.hub = redis, database, Hub(database)
    app.state.heartbeats, app.state.batches = Heartbeats(database), Batches(database)
    app.state.throttle, app.state.long_readers = Throttle(redis), LongReaders(database, settings.require_passkeys)
    await bus.start()
    app.state.attendance = Attendance(longest_gap=_LONGEST_GAP)
    app.state.previews, app.state.export_turns = PreviewProcess(), Turns()
    app.state.previews.pool.start()
    clock = SharedClock(database, app.state.attendance.note)
    app.state.loops = {"clock": clock.age_s}
    app.state.coordinators = coordinators.liveliness
    following = asyncio.create_task(clock.follow())
    try:
        yield
    finally:
        following.cancel()
        app.state.previews.pool.stop()
        await bus.stop()
        await redis.aclose()
        await database.close()


class Application(FastAPI):
    """FastAPI inside the layers that cover every answer, also those to addresses that are refused and to errors."""

    def build_middleware_stack(self) -> ASGIApp:
        identified = RequestContextMiddleware(CountedRequests(SoundAnswers(super().build_middleware_stack())))
        # Around all others: whoever asks for the caller's address gets what a trusted proxy says.
        trusted = [FRONT, *self.state.settings.trusted_proxies]
        told = ProxyHeadersMiddleware(cast("Any", identified), trusted_hosts=trusted)
        return FromFront(cast("ASGIApp", told))

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = openapi.completed(super().openapi(), self)
        return self.openapi_schema


def create_app(settings: Settings | None = None) -> FastAPI:
    """The whole backend. Without ``settings`` they are read from the environment."""
    settings = settings or get_settings()
    app = Application(
        title="ngxlab",
        version=VERSION,
        summary="Live NGINX performance experiments",
        description=_DESCRIPTION,
        license_info={"name": "Apache 2.0", "identifier": "Apache-2.0"},
        webhooks=notification_webhooks,
        openapi_url=None,  # for signed-in people: experiments.templates_router
        max_body_size=_MAX_BODY_BYTES,
        lifespan=_lifetime,
        generate_unique_id_function=lambda route: route.name,
    )
    app.router.route_class = GuardedRoute
    app.state.settings = settings
    app.state.oidc = Provider(settings) if settings.oidc_issuer else None
    app.state.known_credentials = KnownCredentials()
    problems.install(app)
    for router in worker_api_routers:
        # Each request looks for its route in every router on the way, again at each level: agents call all the time.
        app.include_router(router, prefix=API_PREFIX)
    api = APIRouter(prefix=API_PREFIX)
    for router in _ROUTERS:
        api.include_router(router)
    app.include_router(api)
    app.include_router(health.router)
    app.include_router(monitoring_router)
    app.include_router(link_preview.router)
    return app
