"""The jobs service: a Celery worker, whose processes do jobs, with a beat beside them.

A message is an id. What is to be done, and whether it still is, says PostgreSQL.
"""

import asyncio
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import structlog
from celery import Celery, signals
from celery.app.task import Task as CeleryTask
from celery.beat import Scheduler
from celery.exceptions import WorkerLostError
from celery.worker.request import Request
from sqlalchemy import ColumnElement
from sqlalchemy.exc import SQLAlchemyError

from ngxlab.core import logs
from ngxlab.core.bus import Bus, connect_redis
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.jobs import repository
from ngxlab.core.jobs.beat import Beat
from ngxlab.core.jobs.execution import Service, execute
from ngxlab.core.jobs.kinds import TASK_JOB, Queue, Round
from ngxlab.core.shared_clock import SharedClock

log = structlog.get_logger()

_ENDS_WITHIN_S = 5.0
"""Jobs that go on are then killed, and repeated by others when their leases have run out."""


@dataclass
class Configuration:
    """What the processes of a service inherit from the one that starts them."""

    settings: Settings
    rounds: Sequence[Round]
    heard: ColumnElement[bool]
    node: str
    parent: int


@dataclass
class Process:
    """An event loop with its connections, which last from one job to the next."""

    runner: asyncio.Runner
    service: Service


_configured: list[Configuration] = []
_process: list[Process] = []


def _started() -> Process:
    """This process' own, made when it is needed first: after the fork."""
    if not _process:
        configuration = _configured[0]
        runner = asyncio.Runner()
        service = runner.run(_service(configuration))
        _process.append(Process(runner, service))
    return _process[0]


async def _service(configuration: Configuration) -> Service:
    settings = configuration.settings
    redis_url, options = settings.redis_url.get_secret_value(), settings.redis_options
    redis = connect_redis(redis_url, **options)
    bus = Bus(redis, redis_url, **options)
    database = Database(settings.database_url.get_secret_value(), bus, pool_size=2, asking=1)
    return Service(settings, database, redis, configuration.node)


class _JobRequest(Request):
    """In the parent: what becomes of a job whose process was killed is written where people and pages look."""

    def on_timeout(self, soft: bool, timeout: float) -> None:  # noqa: FBT001 (Celery's signature)
        super().on_timeout(soft, timeout)
        if not soft:
            _let_go(self, f"It was killed, since it took longer than {timeout:g} s")

    def on_failure(self, exc_info: Any, send_failed_event: bool = True, return_ok: bool = False) -> Any:  # noqa: FBT001, FBT002
        if issubclass(exc_info.type, WorkerLostError):  # the exception itself comes wrapped
            _let_go(self, "The process that worked on it was killed")
        return super().on_failure(exc_info, send_failed_event, return_ok)


def _let_go(request: Any, error: str) -> None:
    job_id = UUID(request.args[0])
    log.error("a job was cut off", job=str(job_id), reason=error)
    configuration = _configured[0]

    async def write() -> None:
        service = await _service(configuration)
        try:
            async with service.database.transaction() as session:
                await repository.let_go(session, job_id, configuration.node, error)
        except (SQLAlchemyError, OSError) as away:
            log.warning("that could not be stored", error=type(away).__name__)
        finally:
            await service.redis.aclose()
            await service.database.close()

    asyncio.run(write())


class _JobTask(CeleryTask):  # type: ignore[type-arg]
    Request = f"{__name__}:{_JobRequest.__name__}"


class _BeatOfCelery(Scheduler):
    """Celery's scheduler with a schedule in the database."""

    def setup_schedule(self) -> None:
        """There is nothing to set up."""

    def tick(self, *_: Any, **__: Any) -> float:
        configuration = _configured[0]
        if os.getppid() != configuration.parent:
            raise SystemExit  # nobody works any more on what would be fired
        process = _started()
        service = process.service
        if "beat" not in service.own:
            service.own["beat"] = Beat(service.database, configuration.rounds, configuration.heard)
        rest_s: float = process.runner.run(service.own["beat"].tick())
        return rest_s


def _application(settings: Settings) -> Celery:
    app = Celery("ngxlab-jobs", broker=settings.redis_url.get_secret_value())
    app.conf.update(
        broker_use_ssl=settings.redis_options or None,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_channel_error_retry=True,
        broker_transport_options={"socket_keepalive": True, "socket_connect_timeout": 3},
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        worker_prefetch_multiplier=1,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_soft_shutdown_timeout=_ENDS_WITHIN_S,
    )

    @app.task(name=TASK_JOB, base=_JobTask, bind=True)
    def do(task: Any, job_id: str) -> None:
        process = _started()
        process.runner.run(_done(process.service, UUID(job_id), task.request.delivery_info["routing_key"]))

    return app


async def _done(service: Service, job_id: UUID, queue: str) -> None:
    clock = service.own.setdefault("clock", SharedClock(service.database))
    await clock.look_now_and_then()
    await execute(service, job_id, queue)


def run(settings: Settings, rounds: Sequence[Round], heard: ColumnElement[bool]) -> int:
    """Work until told to end: by SIGQUIT within seconds, by SIGTERM once all jobs under way are done."""
    logs.configure(settings.log_level)
    logging.getLogger("celery").setLevel(logging.WARNING)  # it says of each message that it has come and gone
    signals.setup_logging.connect(_leave_logging)
    _configured.append(Configuration(settings, rounds, heard, uuid4().hex, os.getpid()))
    worker: Any = _application(settings).Worker(
        pool="prefork",
        concurrency=settings.jobs_processes,
        queues=[str(queue) for queue in Queue],
        beat=True,
        scheduler=_BeatOfCelery,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


def _leave_logging(**_: Any) -> None:
    """The process' logs are configured already."""
