"""A process that waits for messages sleeps."""

import time
from typing import Any

from kombu.asynchronous import Hub
from ngxlab_worker.tasks import make_app
from tests.support.redis import Redis

SELDOM_S = 5


def test_nothing_but_a_message_wakes_the_loop_more_often_than_every_five_seconds(redis: Redis) -> None:
    began, hub = time.monotonic(), Hub()
    with make_app(redis.url) as app, app.connection_for_read() as connection:
        transport: Any = connection.transport
        transport.register_with_event_loop(connection.connection, hub)
        times = [planned.eta for planned in hub.timer.queue if not planned.entry.cancelled]
        assert times
        assert min(times) - began >= SELDOM_S
        assert transport.brpop_timeout >= SELDOM_S
    hub.close()
