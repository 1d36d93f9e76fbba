"""Messages that leave the backend: Celery hints to workers, live messages between backend processes.

Both leave only after a commit (see :func:`ngxlab.core.database.after_commit`), and both are hints: PostgreSQL has the
facts, so a receiver that missed a message reads them there.
"""

import asyncio
import contextlib
import math
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from celery import Celery
from kombu.exceptions import OperationalError
from redis.asyncio import Redis
from redis.exceptions import RedisError

log = structlog.get_logger()

_HINT_LIFE_S = 30
"""Seconds after which a hint that nobody took expires."""
_PREFIX = "ngxlab:live:"
_ANSWER_WITHIN_S = 5.0
_LOOK_AGAIN_S = 5.0
_LOOK_AGAIN_WITHOUT_REDIS_S = 0.5


def connect_redis(url: str, **options: Any) -> Redis:
    """Connects on first use. A Redis that does not answer within 5 s is an error; a subscription may stay silent.

    ``options``: those of TLS, for a ``rediss://`` URL.
    """
    return Redis.from_url(
        url,
        **options,
        protocol=2,  # with protocol 3, redis-py formats every published message for a log line that it then drops
        health_check_interval=15,
        socket_timeout=_ANSWER_WITHIN_S,
        socket_connect_timeout=_ANSWER_WITHIN_S,
    )


class LiveMessage(NamedTuple):
    """Something happened to a run. ``seq`` is its position in the run's live stream.

    ``state``: read the run again. ``batch``: telemetry; ``body`` is JSON text, parsed only by those who show it.
    ``unsaid``: there was telemetry up to this position before its sender knew that somebody looks.
    """

    seq: int
    kind: str
    body: str = ""


_TELEMETRY = frozenset({"batch", "unsaid"})

RESUBSCRIBED = LiveMessage(0, "resubscribed")
"""Sent to every listener after the connection to Redis was lost: messages may have been missed."""

WATCHED = LiveMessage(0, "watched")
"""Somebody looks at the run: said again and again by each process that serves such a viewer."""
SAY_WATCHED_EVERY_S = 4.0
_WATCHED_FOR_S = 10.0

Messages = asyncio.Queue[LiveMessage]


class Bus:
    """One publisher and one subscription for the whole process; listeners get queues."""

    def __init__(self, redis: Redis, broker_url: str, **tls_options: Any) -> None:
        self.redis = redis
        self._celery = Celery("ngxlab-backend", broker=broker_url)
        self._celery.conf.update(
            task_serializer="json",
            broker_use_ssl=tls_options or None,
            task_ignore_result=True,
            broker_connection_retry_on_startup=True,
            broker_transport_options={"socket_timeout": _ANSWER_WITHIN_S, "socket_connect_timeout": _ANSWER_WITHIN_S},
            task_publish_retry_policy={"max_retries": 1},
        )
        self._listeners: defaultdict[UUID, set[Messages]] = defaultdict(set)
        self._reader: asyncio.Task[None] | None = None
        self.subscribed = asyncio.Event()
        self._subscribed_at = math.inf
        self._watched_at: dict[UUID, float] = {}
        self._said_watched_at: dict[UUID, float] = {}
        self._unsaid: dict[UUID, tuple[int, float]] = {}
        self._to_say: list[tuple[UUID, LiveMessage]] = []

    async def start(self) -> None:
        self._reader = asyncio.create_task(self._read_for_ever())

    async def stop(self) -> None:
        if self._reader is not None:
            self._reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reader
        await asyncio.to_thread(self._celery.close)

    @property
    def patience_s(self) -> float:
        """The wait for a message before a look into the database, since a message may be lost."""
        return _LOOK_AGAIN_S if self.subscribed.is_set() else _LOOK_AGAIN_WITHOUT_REDIS_S

    async def publish(self, run_id: UUID, message: LiveMessage) -> None:
        """Tell all backend processes. A failure is only logged: readers fall back on the database.

        Of telemetry at which nobody looks, only the position is kept, for whoever may just have begun to look."""
        if message.kind == "batch" and not self.is_watched(run_id):
            now = time.monotonic()
            recent = {run: said for run, said in self._unsaid.items() if now - said[1] < _WATCHED_FOR_S}
            self._unsaid = recent | {run_id: (message.seq, now)}
            return
        try:
            await self.redis.publish(f"{_PREFIX}{run_id}", _on_the_wire(message))
        except RedisError as error:
            log.warning("live message not published", run_id=str(run_id), error=str(error))

    async def say_watched(self, run_id: UUID) -> None:
        """Tell all backend processes that somebody looks at a run; of many calls one does every few seconds."""
        now = time.monotonic()
        self._watched_at = _with_recent(self._watched_at, run_id, now)
        if now - self._said_watched_at.get(run_id, -math.inf) >= SAY_WATCHED_EVERY_S / 2:
            self._said_watched_at = _with_recent(self._said_watched_at, run_id, now)
            await self.publish(run_id, WATCHED)

    async def send_task(self, name: str, argument: UUID, queue: str, *, time_limit: float | None = None) -> None:
        """Send a hint to a worker, which is killed after ``time_limit``. A failure is only logged: hints are sent again
        for what goes on to wait."""
        try:
            await asyncio.to_thread(
                self._celery.send_task,
                name,
                args=[str(argument)],
                queue=queue,
                ignore_result=True,
                retry=False,
                expires=_HINT_LIFE_S,
                time_limit=math.ceil(time_limit) if time_limit is not None else None,
            )
        except (OperationalError, OSError) as error:
            log.warning("task not sent", task=name, argument=str(argument), error=str(error))

    async def is_taken(self, queue: str) -> bool:
        """Whether no hint waits in the queue; unknown, and therefore false, while Redis does not answer."""
        try:
            return not await self.redis.llen(queue)
        except RedisError as error:
            log.warning("queue not looked at", queue=queue, error=str(error))
            return False

    def is_watched(self, run_id: UUID) -> bool:
        """Whether somebody looks at the run, in this process or another; true also while this one cannot know."""
        now = time.monotonic()
        knows = self.subscribed.is_set() and now - self._subscribed_at > _WATCHED_FOR_S
        return not knows or now - self._watched_at.get(run_id, -math.inf) < _WATCHED_FOR_S

    @contextmanager
    def listen(self, run_id: UUID) -> Iterator[Messages]:
        """A queue of the run's live messages from now on."""
        queue: Messages = asyncio.Queue()
        self._listeners[run_id].add(queue)
        try:
            yield queue
        finally:
            self._listeners[run_id].discard(queue)
            if not self._listeners[run_id]:
                del self._listeners[run_id]

    async def _read_for_ever(self) -> None:
        while True:
            try:
                await self._read()
            except (RedisError, OSError) as error:
                self.subscribed.clear()
                log.warning("lost the live subscription, retrying", error=str(error))
            except Exception:
                self.subscribed.clear()
                log.exception("the live subscription broke, retrying")
            await asyncio.sleep(0.5)

    async def _read(self) -> None:
        async with self.redis.pubsub() as pubsub:
            await pubsub.psubscribe(f"{_PREFIX}*")
            self._subscribed_at = time.monotonic()
            self.subscribed.set()
            for queues in self._listeners.values():
                self._deliver(queues, RESUBSCRIBED)
            async for item in pubsub.listen():
                if item["type"] != "pmessage":
                    continue
                try:
                    self._pass_on(_text(item["channel"]), item["data"])
                except ValueError as error:  # agents may publish too: none of their messages may end the subscription
                    log.warning("live message not understood", error=str(error))
                while self._to_say:
                    await self.publish(*self._to_say.pop())

    def _pass_on(self, channel: str, data: bytes | str) -> None:
        """Raises ValueError for a message that no backend process can have published."""
        run_id = UUID(channel.removeprefix(_PREFIX))
        if data == _WATCHED:
            self._watched_at = _with_recent(self._watched_at, run_id, time.monotonic())
            if (unsaid := self._unsaid.pop(run_id, None)) is not None:
                self._to_say.append((run_id, LiveMessage(unsaid[0], "unsaid")))
        elif run_id in self._listeners:
            seq, kind, body = _text(data).split(" ", 2)
            self._deliver(self._listeners[run_id], LiveMessage(int(seq), kind, body))

    @staticmethod
    def _deliver(queues: set[Messages], message: LiveMessage) -> None:
        for queue in queues:
            queue.put_nowait(message)


def _with_recent(times: dict[UUID, float], run_id: UUID, now: float) -> dict[UUID, float]:
    """And without those that say nothing any more."""
    return {run: at for run, at in times.items() if now - at < _WATCHED_FOR_S} | {run_id: now}


def _on_the_wire(message: LiveMessage) -> str:
    return f"{message.seq} {message.kind} {message.body}"


_WATCHED = _on_the_wire(WATCHED).encode()


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


async def wait_for_message(messages: Messages, seconds: float, *, telemetry: bool = True) -> bool:
    """Wait for the run's next live message, at most ``seconds``; whether there was one. It may have been lost, so
    callers who go on read the database in either case.

    Without ``telemetry``, the batches that arrive all the time are no reason to read it.
    """
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while (await messages.get()).kind in _TELEMETRY and not telemetry:
                continue
            return True
    return False
