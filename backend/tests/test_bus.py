"""Redis may hang: nobody hangs with it."""

import asyncio
from collections.abc import Awaitable, Callable
from uuid import uuid4

import pytest
from ngxlab.core.bus import Bus, LiveMessage, connect_redis
from structlog.testing import capture_logs

PATIENCE_S = 60
"""Far beyond the time limit under test: only what would wait for ever reaches it."""


def with_hung_redis(act: Callable[[Bus], Awaitable[None]]) -> None:
    """A server that takes connections and never answers, as a stopped Redis does."""

    async def run() -> None:
        async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while await reader.read(1024):
                pass
            writer.close()

        server = await asyncio.start_server(hang, "127.0.0.1", 0)
        url = f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        redis = connect_redis(url)
        try:
            async with asyncio.timeout(PATIENCE_S):
                await act(Bus(redis, url))
        finally:
            await redis.aclose()
            server.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    "act",
    [
        lambda bus: bus.publish(uuid4(), LiveMessage(1, "state")),
        lambda bus: bus.send_task("nothing", uuid4(), "nowhere"),
    ],
    ids=["publish", "send_task"],
)
def test_a_hung_redis_is_given_up(act: Callable[[Bus], Awaitable[None]]) -> None:
    with capture_logs() as logged:
        with_hung_redis(act)
    assert [entry["event"] for entry in logged] in (["live message not published"], ["task not sent"])
