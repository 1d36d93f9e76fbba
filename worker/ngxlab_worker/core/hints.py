"""Celery's Redis transport as agents and coordinator need it: it drops what is no hint, and needs few rights.

A message in a queue is a hint: the name of a task and one id. Whoever can write to Redis can put anything there, so a
message is read here, strictly, and Celery gets one written anew. Kombu's own bookkeeping in Redis (bindings, messages
not yet acknowledged) is left out: messages are acknowledged on receipt, and it would need keys that all hosts share.
"""

import base64
import json
import time
from datetime import datetime
from queue import Empty
from typing import Any
from uuid import UUID, uuid4

import structlog
from kombu.transport import redis
from ngxlab_contracts.broker import TASKS
from pydantic import BaseModel, ValidationError, field_validator

SILENT_AFTER_S = 15.0
"""Redis is asked for messages every five seconds at least."""
_LONGEST_REASON = 300


class BrokerContact:
    def __init__(self) -> None:
        self._answered_at = time.monotonic()
        self._error: Exception | None = None

    def answered(self) -> None:
        self._answered_at, self._error = time.monotonic(), None

    def failed(self, error: Exception) -> None:
        self._error = error

    def age_s(self) -> float:
        """Seconds since the last answer, or since the start of this process."""
        return time.monotonic() - self._answered_at

    def trouble(self) -> str | None:
        if (error := self._error) is not None:
            return (str(error) or type(error).__name__)[:_LONGEST_REASON]
        return "it does not answer" if self.age_s() > SILENT_AFTER_S else None


broker_contact = BrokerContact()

log = structlog.get_logger(__name__)

MAX_BYTES = 16_384
"""The longest message; a hint has some 1,000."""


class _Headers(BaseModel):
    task: str
    expires: datetime | None = None

    @field_validator("task")
    @classmethod
    def _known(cls, task: str) -> str:
        if task not in TASKS:
            raise ValueError("no task of ngxlab")
        return task


class _Envelope(BaseModel):
    """What Celery sends, as far as a hint needs it. ``body``: base64 of JSON ``[[ID], {}, {…}]``."""

    body: str
    headers: _Headers


def read_hint(raw: bytes) -> dict[str, Any] | None:
    """The message for Celery; ``None`` where ``raw`` is no hint."""
    if len(raw) > MAX_BYTES:
        return None
    try:
        envelope = _Envelope.model_validate_json(raw)
        arguments, _, _ = json.loads(base64.b64decode(envelope.body, validate=True))
        (argument,) = arguments
        return _message(envelope.headers, UUID(argument))
    except (ValidationError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def _message(headers: _Headers, argument: UUID) -> dict[str, Any]:
    body = json.dumps([[str(argument)], {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}])
    task_id = str(uuid4())
    return {
        "body": base64.b64encode(body.encode()).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {"lang": "py", "id": task_id, "root_id": task_id, **headers.model_dump(mode="json")},
        "properties": {
            "body_encoding": "base64",
            "correlation_id": task_id,
            "delivery_info": {"exchange": "", "routing_key": ""},
            "delivery_mode": 2,
            "delivery_tag": task_id,
            "priority": 0,
        },
    }


class HintChannel(redis.Channel):
    """Reads hints only. A host's user may use neither bindings nor the sets of unacknowledged messages."""

    ack_emulation = False
    do_restore = False
    priority_steps = [0]  # noqa: RUF012  as kombu has it
    connection_errors: tuple[type[Exception], ...]
    _queue_cycle: Any

    def _brpop_read(self, **options: Any) -> bool:
        try:
            try:
                taken = self.client.parse_response(self.client.connection, "BRPOP", **options)
            except Exception as error:
                broker_contact.failed(error)
                if isinstance(error, self.connection_errors):
                    self.client.connection.disconnect()
                raise
            broker_contact.answered()
            if not taken:
                raise Empty
            queue, raw = taken[0].decode(), taken[1]
            self._queue_cycle.rotate(queue)
            if (message := read_hint(raw)) is None:
                log.warning("message dropped: it is no hint", queue=queue, bytes=len(raw))
            else:
                self.connection._deliver(message, queue)
            return True
        finally:
            self._in_poll = None

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        """Messages go to a queue by its name."""


class HintTransport(redis.Transport):
    """Waits for five seconds at a time: Redis answers at once where there is a message."""

    Channel = HintChannel
    brpop_timeout = 5

    def establish_connection(self) -> Any:
        """As kombu does, which asks Redis for a sign of life."""
        try:
            connection = super().establish_connection()
        except Exception as error:
            broker_contact.failed(error)
            raise
        broker_contact.answered()
        return connection

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        """Without kombu's care for bindings, for messages not yet acknowledged and for passwords that change: there are
        none, and the first of these alone wakes the process each second."""
        super().register_with_event_loop(connection, loop)
        poller: Any = self.cycle
        for care in (poller._binding_expiry_tref, poller._restore_messages_tref, poller._reauth_tref):
            care.cancel()
