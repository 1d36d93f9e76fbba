"""All live streams of one backend process."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import structlog

from ngxlab.core.bus import RESUBSCRIBED, SAY_WATCHED_EVERY_S, Messages
from ngxlab.core.database import Database
from ngxlab.live.feed import LiveEvent, TrialFeeds, Viewer
from ngxlab.live.messages import LiveBatch
from ngxlab.runs import repository as runs
from ngxlab.runs.service import present

log = structlog.get_logger()

_RETRY_S = 0.5


class RunFeed:
    """Listens to one run as long as somebody watches it."""

    def __init__(self, database: Database, run_id: UUID) -> None:
        self._database = database
        self._run_id = run_id
        self.viewers: set[Viewer] = set()
        self.feeds = TrialFeeds(database)
        self._last_seq = 0

    async def listen(self, listening: asyncio.Event) -> None:
        saying = asyncio.create_task(self._say_watched())
        try:
            await self._listen(listening)
        finally:
            saying.cancel()

    async def _listen(self, listening: asyncio.Event) -> None:
        with self._database.bus.listen(self._run_id) as messages:
            listening.set()
            while True:
                try:
                    await self._handle_next(messages)
                except Exception as error:  # noqa: BLE001 — logged
                    # One unreadable message, or a database that is away, must not end the stream: what was missed is
                    # read back, as after a lost subscription.
                    log.warning("live message dropped", run_id=str(self._run_id), error=repr(error))
                    messages.put_nowait(RESUBSCRIBED)
                    await asyncio.sleep(_RETRY_S)

    async def _handle_next(self, messages: Messages) -> None:
        message = await messages.get()
        if message == RESUBSCRIBED:
            self.feeds.forget()
            for event in await self.feeds.replay(self._run_id, self._last_seq):
                self._give(event)
            self._give(await self.run_event("run"))
            return
        if message.kind == "batch":
            for event in await self.feeds.from_message(
                message.seq, LiveBatch.model_validate_json(message.body, extra="ignore")
            ):
                self._give(event)
        else:
            self._give(await self.run_event("run"))
        self._last_seq = max(self._last_seq, message.seq)

    async def _say_watched(self) -> None:
        """Tell all backend processes, and with their answers the run's hosts, again and again."""
        while True:
            await self._database.bus.say_watched(self._run_id)
            await asyncio.sleep(SAY_WATCHED_EVERY_S)

    def _give(self, event: LiveEvent) -> None:
        for viewer in self.viewers:
            viewer.give(event)

    async def run_event(self, name: str) -> LiveEvent:
        """The run as it is now."""
        async with self._database.transaction() as session:
            run = await runs.run(session, self._run_id)
            if run is None:
                raise KeyError(self._run_id)
            await session.refresh(run)
            detail = await present(session, run, None)
        return LiveEvent(detail.live_seq, name, detail.model_dump_json(exclude={"may_change"}))


class Hub:
    """One feed for each run that has viewers."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._feeds: dict[UUID, tuple[RunFeed, asyncio.Task[None], asyncio.Event]] = {}

    def viewers(self) -> int:
        """How many streams are open."""
        return sum(len(feed.viewers) for feed, _, _ in self._feeds.values())

    @asynccontextmanager
    async def watch(self, run_id: UUID) -> AsyncIterator[tuple[RunFeed, Viewer]]:
        """Join a run's feed. The viewer receives events from this moment on."""
        if run_id not in self._feeds:
            feed, listening = RunFeed(self._database, run_id), asyncio.Event()
            self._feeds[run_id] = (feed, asyncio.create_task(feed.listen(listening)), listening)
        feed, task, listening = self._feeds[run_id]
        viewer = Viewer()
        feed.viewers.add(viewer)
        try:
            await listening.wait()
            yield feed, viewer
        finally:
            feed.viewers.discard(viewer)
            if not feed.viewers and self._feeds.get(run_id, (None,))[0] is feed:
                del self._feeds[run_id]
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
