"""The application: settings, lifetime, routers, and the built frontend where it is served from here."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from fastapi import APIRouter, FastAPI
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
from ngxlab.core import errors, health, logs, openapi
from ngxlab.core.access import GuardedRoute
from ngxlab.core.answers import SoundAnswers
from ngxlab.core.bus import Bus, connect_redis
from ngxlab.core.config import Settings, get_settings
from ngxlab.core.counted import CountedRequests
from ngxlab.core.database import Database
from ngxlab.core.frontend import serve_frontend
from ngxlab.core.request_context import RequestContextMiddleware
from ngxlab.core.throttle import Throttle
from ngxlab.experiments.apart import Apart
from ngxlab.experiments.router import router as experiments_router
from ngxlab.experiments.schema_router import router as schema_router
from ngxlab.experiments.templates_router import router as templates_router
from ngxlab.hosts.broker_users import BrokerUsers
from ngxlab.hosts.router import router as hosts_router
from ngxlab.live.hub import Hub
from ngxlab.live.router import router as live_router
from ngxlab.metrics.router import router as metrics_router
from ngxlab.monitoring.router import router as monitoring_router
from ngxlab.reports.router import router as reports_router
from ngxlab.reports.router import shared_router
from ngxlab.runs import coordinators
from ngxlab.runs.analysis_jobs import finish_background
from ngxlab.runs.choosing.router import router as windows_router
from ngxlab.runs.power.router import router as power_router
from ngxlab.runs.router import router as runs_router
from ngxlab.runs.telemetry_router import router as telemetry_router
from ngxlab.runs.watch.attendance import Attendance
from ngxlab.runs.watch.reconciler import Reconciler
from ngxlab.worker_api.router import router as worker_api_router

API_PREFIX = "/api/v1"
_MAX_BODY_BYTES = 2 << 20
"""Of a request by people; batches of telemetry have a limit of their own."""
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
    power_router,
    live_router,
    telemetry_router,
    windows_router,
    metrics_router,
    reports_router,
    shared_router,
    hosts_router,
    audit_router,
    worker_api_router,
)


@asynccontextmanager
async def _lifetime(app: FastAPI) -> AsyncIterator[None]:
    settings: Settings = app.state.settings
    redis_url, options = settings.redis_url.get_secret_value(), settings.redis_options
    redis = connect_redis(redis_url, **options)
    bus = Bus(redis, redis_url, **options)
    database = Database(settings.database_url.get_secret_value(), bus)
    app.state.redis, app.state.database, app.state.hub = redis, database, Hub(database)
    app.state.throttle = Throttle(redis)
    await bus.start()
    app.state.attendance = Attendance()
    app.state.apart = Apart()
    app.state.apart.pool.start()
    reconciler = Reconciler(database, app.state.attendance)
    broker_users = BrokerUsers(database, redis, settings)
    app.state.loops = {"reconciler": reconciler.age_s, "broker users": broker_users.age_s}
    app.state.coordinators = coordinators.liveliness
    loops = [reconciler.run_for_ever(), broker_users.run_for_ever(), audit_upkeep.keep_up(database, settings)]
    tasks = [asyncio.create_task(loop) for loop in loops]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await finish_background()
        app.state.apart.pool.stop()
        await bus.stop()
        await redis.aclose()
        await database.close()


class Application(FastAPI):
    """FastAPI inside the layers that cover every answer, also those to addresses that are refused and to errors."""

    def build_middleware_stack(self) -> ASGIApp:
        identified = RequestContextMiddleware(CountedRequests(SoundAnswers(super().build_middleware_stack())))
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
    logs.configure(settings.log_level)
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
    errors.install(app)
    api = APIRouter(prefix=API_PREFIX)
    for router in _ROUTERS:
        api.include_router(router)
    app.include_router(api)
    app.include_router(health.router)
    app.include_router(monitoring_router)
    if settings.frontend_dir is not None:
        serve_frontend(app, settings.frontend_dir)
    return app
