"""Redis may hang: nobody hangs with it. No message ends the subscription."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest
from ngxlab.core.bus import RESUBSCRIBED, Bus, LiveMessage, connect_redis
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


async def test_an_unexpected_error_does_not_end_the_subscription(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis, run_id = connect_redis(redis_url), uuid4()
    bus, pass_on = Bus(redis, redis_url), Bus._pass_on
    broken = iter([RuntimeError("a defect")])

    def fail_once(self: Bus, channel: str, data: Any) -> None:
        if self is bus and str(run_id) in channel and (error := next(broken, None)):  # other backends hear it, too
            raise error
        pass_on(self, channel, data)

    monkeypatch.setattr(Bus, "_pass_on", fail_once)
    await bus.start()
    try:
        async with asyncio.timeout(PATIENCE_S):
            await bus.subscribed.wait()
            with bus.listen(run_id) as messages, capture_logs() as logged:
                await bus.publish(run_id, LiveMessage(1, "state"))
                assert await messages.get() == RESUBSCRIBED  # so that whoever listens reads what was missed
                await bus.publish(run_id, LiveMessage(2, "state"))
                assert (await messages.get()).seq == 2
        assert [entry["event"] for entry in logged] == ["the live subscription broke, retrying"]
    finally:
        await bus.stop()
        await redis.aclose()


async def test_telemetry_at_which_nobody_looks_is_not_published_but_its_position_told_to_who_begins_to_look(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ngxlab.core.bus._WATCHED_FOR_S", 1.0)
    redis, run_id = connect_redis(redis_url), uuid4()
    bus = Bus(redis, redis_url)
    await bus.start()
    try:
        async with asyncio.timeout(PATIENCE_S):
            while bus.is_watched(run_id):  # it cannot know at first
                await asyncio.sleep(0.01)
            with bus.listen(run_id) as messages:
                await bus.publish(run_id, LiveMessage(1, "batch", "{}"))
                await bus.publish(run_id, LiveMessage(2, "state"))
                await bus.say_watched(run_id)
                told = [await messages.get() for _ in range(2)]
                assert told == [LiveMessage(2, "state"), LiveMessage(1, "unsaid")]
                assert bus.is_watched(run_id)
                await bus.publish(run_id, LiveMessage(3, "batch", "{}"))
                assert await messages.get() == LiveMessage(3, "batch", "{}")
    finally:
        await bus.stop()
        await redis.aclose()
