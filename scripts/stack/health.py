"""The health of every service. Each service is asked itself, not only its supervisor."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scripts.stack import backend, front, postgres, redis
from scripts.stack.credentials import Credentials
from scripts.stack.services import Service
from scripts.stack.settings import Settings
from scripts.stack.supervisor import ProcessInfo, up_s


@dataclass(frozen=True)
class Health:
    """A row of ``status``. ``complaint`` is ``None`` where the service is healthy."""

    name: str
    address: str
    pid: int | None
    up_s: int | None
    complaint: str | None


Question = Callable[[float | None], str | None]
"""Answers ``None`` (healthy) or a complaint. Given: seconds since the process started, ``None`` if not ours."""


def questions(settings: Settings, credentials: Credentials) -> dict[str, Question]:
    broker = redis.url(settings, credentials.redis_password)
    backends: dict[str, Question] = {name: _of_process(socket) for name, socket in front.processes(settings).items()}
    return backends | {
        "postgres": lambda _: postgres.complaint(settings),
        "redis": lambda _: redis.complaint(broker, settings.passed_on.get("NGXLAB_BROKER_CA")),
        "front": lambda _: backend.front_complaint(settings),
        "jobs": lambda _: backend.jobs_complaint(settings),
        "coordinator": lambda up_s: backend.coordinator_complaint(settings, up_s),
        "agent": lambda up_s: backend.host_complaint(settings, up_s),
    }


def _of_process(socket: Path) -> Question:
    return lambda _: backend.complaint(socket)


def survey(
    settings: Settings, credentials: Credentials, services: list[Service], infos: dict[str, ProcessInfo]
) -> list[Health]:
    """The state of all services, and of an external database or Redis where one is set."""
    ask = questions(settings, credentials)
    rows = [_external(name, url, ask[name]) for name, url in _external_addresses(settings)]
    for service in services:
        info = infos.get(service.name)
        if info is None or info["statename"] not in {"RUNNING", "STARTING"}:
            rows.append(Health(service.name, service.address, None, None, _why_not_running(info)))
        else:
            age_s = up_s(info)
            rows.append(Health(service.name, service.address, info["pid"], int(age_s), ask[service.name](age_s)))
    return rows


def _why_not_running(info: ProcessInfo | None) -> str:
    if info is None or info["statename"] == "STOPPED":
        return "not running; make up starts it"
    detail = f" ({info['spawnerr']})" if info["spawnerr"] else ""
    return f"{info['statename'].lower()}{detail}; make logs SERVICE={info['name']} tells more"


def _external_addresses(settings: Settings) -> list[tuple[str, str]]:
    found = []
    if settings.database_url is not None:
        host, port = postgres.address(settings)
        found.append(("postgres", f"{host}:{port}"))
    if settings.redis_url is not None:
        host, port = redis.address(settings.redis_url)
        found.append(("redis", f"{host}:{port}"))
    return found


def _external(name: str, address: str, ask: Question) -> Health:
    return Health(name, f"{address} (external)", None, None, ask(None))
