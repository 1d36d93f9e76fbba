"""The application: settings, lifetime, routers, and the built frontend where it is served from here."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, cast

from fastapi import APIRouter, FastAPI
from redis.asyncio import Redis
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from ngxlab.accounts.document_router import router as document_router
from ngxlab.accounts.oidc.links_router import router as links_router
from ngxlab.accounts.oidc.provider import Provider
from ngxlab.accounts.oidc.router import router as oidc_router
from ngxlab.accounts.own_router import router as own_access_router
from ngxlab.accounts.people_router import router as people_router
from ngxlab.accounts.router import router as sign_in_router
from ngxlab.audit import upkeep as audit_upkeep
from ngxlab.audit_log.router import router as audit_router
from ngxlab.compare.router import router as compare_router
from ngxlab.core import errors, health, shared_clock
from ngxlab.core.access import GuardedRoute
from ngxlab.core.answers import SoundAnswers
from ngxlab.core.api_document import openapi
from ngxlab.core.bus import Bus, connect_redis
from ngxlab.core.config import Settings, get_settings
from ngxlab.core.connections.compression import CompressedAnswers
from ngxlab.core.counted import CountedRequests
from ngxlab.core.database import Database
from ngxlab.core.frontend import serve_frontend
from ngxlab.core.loops.loop import Loop, end
from ngxlab.core.request_context import RequestContextMiddleware
from ngxlab.core.shared_clock import SharedClock
from ngxlab.core.throttle import Throttle
from ngxlab.experiments.apart import Apart
from ngxlab.experiments.router import router as experiments_router
from ngxlab.experiments.schema_router import router as schema_router
from ngxlab.experiments.templates_router import router as templates_router
from ngxlab.exports.import_router import router as import_router
from ngxlab.exports.router import router as exports_router
from ngxlab.exports.router import shared_router as shared_exports_router
from ngxlab.exports.turns import ExportTurns
from ngxlab.hosts import broker_users
from ngxlab.hosts.broker_users import BrokerUsers
from ngxlab.hosts.router import router as hosts_router
from ngxlab.live.hub import Hub
from ngxlab.live.readers import LongReaders
from ngxlab.live.router import router as live_router
from ngxlab.metrics.router import router as metrics_router
from ngxlab.monitoring.router import router as monitoring_router
from ngxlab.notes.router import router as notes_router
from ngxlab.notifications import delivery, host_watch
from ngxlab.notifications.delivery import Delivery
from ngxlab.notifications.host_watch import HostWatch
from ngxlab.notifications.router import router as notifications_router
from ngxlab.reports.router import router as reports_router
from ngxlab.retention import upkeep as storage_upkeep
from ngxlab.retention.host_history.router import router as host_history_router
from ngxlab.retention.router import router as retention_router
from ngxlab.runs import coordinators
from ngxlab.runs.choosing.router import router as windows_router
from ngxlab.runs.power.router import router as power_router
from ngxlab.runs.results.analysis_jobs import finish_background
from ngxlab.runs.results.second_processor import second_processor
from ngxlab.runs.router import router as runs_router
from ngxlab.runs.tags.router import router as tags_router
from ngxlab.runs.telemetry_router import router as telemetry_router
from ngxlab.runs.watch import reconciler
from ngxlab.runs.watch.attendance import Attendance
from ngxlab.runs.watch.reconciler import Reconciler
from ngxlab.runs.watch.usual_heartbeat import UsualHeartbeats
from ngxlab.schedules import starting
from ngxlab.schedules.router import router as schedules_router
from ngxlab.schedules.starting import Starter
from ngxlab.shares import link_preview
from ngxlab.shares.router import router as shares_router
from ngxlab.shares.shared_router import router as shared_router
from ngxlab.trends.router import router as trends_router
from ngxlab.worker_api.access import KnownCredentials
from ngxlab.worker_api.router import routers as worker_api_routers
from ngxlab.worker_api.usual_batches import UsualBatches

API_PREFIX = "/api/v1"
_MAX_BODY_BYTES = 2 << 20
"""Of a request by people; batches of telemetry have a limit of their own."""
_END_WITHIN_S = 2.0
"""For loops at the end of the process, which is killed after ten seconds."""
_ROUTERS = (
    sign_in_router,
    oidc_router,
    own_access_router,
    links_router,
    people_router,
    document_router,
    templates_router,
    experiments_router,
    schema_router,
    runs_router,
    tags_router,
    notes_router,
    retention_router,
    host_history_router,
    schedules_router,
    power_router,
    live_router,
    telemetry_router,
    windows_router,
    compare_router,
    trends_router,
    metrics_router,
    reports_router,
    shares_router,
    shared_router,
    exports_router,
    shared_exports_router,
    import_router,
    hosts_router,
    notifications_router,
    audit_router,
)


def _loops(app: FastAPI, redis: Redis) -> tuple[list[Loop], list[Loop]]:
    """Those whose age says whether the backend is ready, and those whose rounds may be long or an hour apart."""
    settings, database, attendance = app.state.settings, app.state.database, app.state.attendance
    runs, users = Reconciler(database, attendance), BrokerUsers(database, redis, settings)
    told = runs.asker.also_for
    outbox, hosts, schedules = Delivery(database, settings), HostWatch(database, attendance.since), Starter(database)
    looking_at_runs = partial(runs.look, reconciler.TRIALS_EVERY_S)
    watched = [
        Loop("reconciler", looking_at_runs, reconciler.PERIOD_S, busy_s=reconciler.BUSY_S),
        Loop("broker users", users.look, broker_users.PERIOD_S, wake=database.bus.came_back),
        told(Loop("notifications", outbox.look, delivery.PERIOD_S), outbox.due),
        told(Loop("host watch", hosts.look, host_watch.PERIOD_S), hosts.changed),
        told(Loop("schedules", schedules.look, starting.PERIOD_S), schedules.due),
    ]
    storage = storage_upkeep.Upkeep(database, settings.keep_raw_days)
    audit_log = audit_upkeep.Upkeep(database, settings)
    seldom = [
        Loop("clock", SharedClock(database).look, shared_clock.PERIOD_S),
        Loop("storage", storage.look, storage_upkeep.PERIOD_S),
        Loop("audit log", audit_log.look, audit_upkeep.PERIOD_S),
    ]
    return watched, seldom


@asynccontextmanager
async def _lifetime(app: FastAPI) -> AsyncIterator[None]:
    settings: Settings = app.state.settings
    redis_url, options = settings.redis_url.get_secret_value(), settings.redis_options
    redis = connect_redis(redis_url, **options)
    bus = Bus(redis, redis_url, **options)
    database = Database(settings.database_url.get_secret_value(), bus)
    app.state.redis, app.state.database, app.state.hub = redis, database, Hub(database)
    app.state.usual_heartbeats, app.state.usual_batches = UsualHeartbeats(database), UsualBatches(database)
    app.state.throttle, app.state.long_readers = Throttle(redis), LongReaders(database)
    await bus.start()
    app.state.attendance = Attendance()
    app.state.apart, app.state.export_turns = Apart(), ExportTurns()
    app.state.apart.pool.start()
    watched, seldom = _loops(app, redis)
    app.state.loops = {loop.name: loop.age_s for loop in watched}
    app.state.coordinators = coordinators.liveliness
    tasks = [asyncio.create_task(loop.run_for_ever()) for loop in (*watched, *seldom)]
    try:
        yield
    finally:
        await end(tasks, _END_WITHIN_S)
        await finish_background()
        app.state.apart.pool.stop()
        second_processor.stop()
        await bus.stop()
        await redis.aclose()
        await database.close()


class Application(FastAPI):
    """FastAPI inside the layers that cover every answer, also those to addresses that are refused and to errors."""

    def build_middleware_stack(self) -> ASGIApp:
        identified = RequestContextMiddleware(
            CountedRequests(SoundAnswers(CompressedAnswers(super().build_middleware_stack())))
        )
        # Around all others: whoever asks for the caller's address gets what a trusted proxy says.
        trusted = list(self.state.settings.trusted_proxies)
        return cast("ASGIApp", ProxyHeadersMiddleware(cast("Any", identified), trusted_hosts=trusted))

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = openapi.completed(super().openapi(), self)
        return self.openapi_schema


def create_app(settings: Settings | None = None) -> FastAPI:
    """The whole backend. Without ``settings`` they are read from the environment."""
    settings = settings or get_settings()
    app = Application(
        title="ngxlab",
        version="1",
        summary="Live NGINX performance experiments",
        openapi_url=None,  # for signed-in people: accounts.document_router
        max_body_size=_MAX_BODY_BYTES,
        lifespan=_lifetime,
        generate_unique_id_function=lambda route: route.name,
    )
    app.router.route_class = GuardedRoute
    app.state.settings = settings
    app.state.oidc = Provider(settings) if settings.oidc_issuer else None
    app.state.known_credentials = KnownCredentials()
    errors.install(app)
    for router in worker_api_routers:
        # Each request looks for its route in every router on the way, again at each level: agents call all the time.
        app.include_router(router, prefix=API_PREFIX)
    api = APIRouter(prefix=API_PREFIX)
    for router in _ROUTERS:
        api.include_router(router)
    app.include_router(api)
    app.include_router(health.router)
    app.include_router(monitoring_router)
    if settings.frontend_dir is not None:
        serve_frontend(app, settings.frontend_dir, link_preview.head)
    return app
