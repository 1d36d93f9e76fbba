"""Command, user and environment of every service of the stack."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from ngxlab.core.disk import NEEDED_BYTES

from scripts import agent_bundle
from scripts.paths import BIN, FRONTEND, LOCKS, ROOT
from scripts.stack import front, postgres, redis
from scripts.stack.accounts import server_user
from scripts.stack.credentials import Credentials
from scripts.stack.settings import Settings
from scripts.stamps import content_hash

OWNERS_URL = "NGXLAB_MIGRATION_DATABASE_URL"
CODE = (ROOT / "backend", ROOT / "worker", ROOT / "migrations", LOCKS / "runtime.txt")


@dataclass(frozen=True)
class Service:
    """One supervised process. ``address`` is what it listens on, for people.

    ``needs_bytes`` must be free on the disk of the data folder before it starts.
    """

    name: str
    command: list[str]
    user: str | None
    stop_signal: str
    stop_wait_s: int
    address: str
    environment: Mapping[str, str] = field(default_factory=dict)
    needs_bytes: int = 0


def all_services(settings: Settings, credentials: Credentials) -> list[Service]:
    """Every service in starting order; PostgreSQL and Redis unless external ones are set."""
    database = [_postgres(settings)] if settings.database_url is None else []
    broker = [_redis(settings, credentials)] if settings.redis_url is None else []
    return [*database, *broker, *_own(settings, credentials)]


def backend_environment(settings: Settings, credentials: Credentials) -> dict[str, str]:
    """The environment of ``ngxlab-server``, for the service and for its other commands."""
    broker = redis.url(settings, credentials.redis_password)
    defaults = {
        "NGXLAB_PUBLIC_URL": f"http://localhost:{settings.port}",
        "NGXLAB_AGENT_BROKER_URL": redis.url_for_agents(settings),
        "NGXLAB_FRONTEND_DIR": str(FRONTEND / "dist"),
        "NGXLAB_DATA_DIR": str(settings.data),
        "NGXLAB_AGENT_BUNDLE_DIR": str(agent_bundle.FOLDER),
    }
    if not (FRONTEND / "index.html").is_file():  # a checkout without a frontend; the build may still be under way
        del defaults["NGXLAB_FRONTEND_DIR"]
    kept = {name: value for name, value in settings.passed_on.items() if name != OWNERS_URL}
    return defaults | kept | {
        "DATABASE_URL": postgres.url(settings, credentials.postgres.app),
        "REDIS_URL": broker,
        "NGXLAB_COORDINATOR_TOKEN": credentials.coordinator_token,
    }  # fmt: skip


def migration_environment(settings: Settings, credentials: Credentials) -> dict[str, str]:
    """The environment of what migrates, which alone knows the owner of the database."""
    owner = postgres.migration_url(settings, credentials.postgres.owner) or settings.passed_on.get(OWNERS_URL)
    return backend_environment(settings, credentials) | ({OWNERS_URL: owner} if owner else {})


def agent_environment(settings: Settings) -> dict[str, str]:
    """The environment of the agent. It contains no secret of the stack: the agent has its own credential."""
    return _without_secrets(settings) | {
        "NGXLAB_BACKEND_URL": settings.url,
        "NGXLAB_AGENT_DIR": str(settings.agent),
        "NGXLAB_SERVER_RUN_DIR": str(settings.run),
    }


def _without_secrets(settings: Settings) -> dict[str, str]:
    secrets = {"NGXLAB_COORDINATOR_TOKEN", OWNERS_URL}
    return {name: value for name, value in settings.passed_on.items() if name not in secrets}


def _own(settings: Settings, credentials: Credentials) -> list[Service]:
    # With the hash in the environment, supervisord sees a changed service where the code has changed, and restarts it.
    code = {"NGXLAB_CODE_HASH": content_hash(CODE), "PYTHONUNBUFFERED": "1"}
    coordinator = {
        "NGXLAB_BACKEND_URL": settings.url,
        "NGXLAB_COORDINATOR_TOKEN": credentials.coordinator_token,
        "REDIS_URL": redis.url_for_workers(settings),
    }
    user = server_user()
    backends = [
        Service(name, [str(BIN / "ngxlab-server"), "serve", "--socket", str(socket)], user, "TERM", 10, str(socket),
                code | backend_environment(settings, credentials))
        for name, socket in front.processes(settings).items()
    ]  # fmt: skip
    return [
        *backends,
        Service("front", front.command(settings), None, "TERM", 10, settings.url,
                {"NGXLAB_CONFIG_HASH": front.digest(settings)}),
        Service("jobs", [str(BIN / "ngxlab-server"), "jobs"], user, "QUIT", 15, "-",
                code | backend_environment(settings, credentials)),
        Service("coordinator", [str(BIN / "ngxlab-worker"), "coordinator"], user, "TERM", 10, "-",
                code | _without_secrets(settings) | coordinator),
        Service("agent", [str(BIN / "ngxlab-worker"), "agent"], None, "TERM", 10, str(settings.agent),
                code | agent_environment(settings)),
    ]  # fmt: skip


def _postgres(settings: Settings) -> Service:
    user = postgres.USER if os.geteuid() == 0 else None
    address = f"127.0.0.1:{settings.postgres_port}"
    # SIGINT is PostgreSQL's fast shutdown: sessions are closed, nothing is lost.
    return Service("postgres", postgres.command(settings), user, "INT", 30, address,
                   needs_bytes=NEEDED_BYTES)  # fmt: skip


def _redis(settings: Settings, credentials: Credentials) -> Service:
    user = redis.USER if os.geteuid() == 0 else None
    config = redis.config(settings, credentials.redis_password)
    digest = {"NGXLAB_CONFIG_HASH": hashlib.sha256(config.encode()).hexdigest()}  # Redis restarts where it has changed
    return Service("redis", redis.command(settings), user, "TERM", 10, f"127.0.0.1:{settings.redis_port}", digest)
