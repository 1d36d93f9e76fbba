"""The live streams of a backend process. What they ask of the database does not grow with the number of viewers."""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

import structlog

from ngxlab.core.bus import RESUBSCRIBED, SAY_WATCHED_EVERY_S, Messages
from ngxlab.core.database import Database
from ngxlab.core.errors import NotFound, existing
from ngxlab.live.feed import LiveBatch, LiveEvent, TrialFeeds
from ngxlab.runs import repository as runs
from ngxlab.runs.schemas import RunDetail
from ngxlab.runs.service import present
from ngxlab.runs.states import UNDER_WAY

_CHUNK_BYTES = 64 << 10
"""Sent at once, at least: a slow reader has no more than this waiting for it beside the queue, which all share."""


class Viewer:
    """A queue of events. A viewer that cannot keep up must reconnect and resume, so that its queue stays small.

    ``first``: what there was before. ``is_over``: nothing will follow.
    """

    LIMIT = 2_000

    def __init__(self, first: Iterable[LiveEvent], *, is_over: bool) -> None:
        self.is_over = is_over
        self.overflowed = False
        self.wake = asyncio.Event()
        self._queue = deque(first)
        self._most = len(self._queue) + self.LIMIT

    def give(self, event: LiveEvent) -> None:
        """Another event; all viewers get the same one."""
        if len(self._queue) >= self._most:
            self.overflowed = True
        else:
            self._queue.append(event)
        self.wake.set()

    def take(self) -> bytes:
        """What is to be sent next; empty where nothing waits."""
        chunk: list[bytes] = []
        size = 0
        while self._queue and size < _CHUNK_BYTES:
            chunk.append(self._queue.popleft().wire)
            size += len(chunk[-1])
        return b"".join(chunk)


log = structlog.get_logger()

_RETRY_S = 0.5
_FRESH_S = 0.25
"""So old may be what a new viewer is told first. Whatever has changed meanwhile is announced, and follows."""


class RunNow:
    """The run as it was read last, as those see it who join and those who are there."""

    def __init__(self, detail: RunDetail) -> None:
        text = detail.model_dump_json(exclude={"may_change"})
        self.read_at = time.monotonic()
        self.live_seq = detail.live_seq
        self.snapshot = LiveEvent(detail.live_seq, "snapshot", text)
        self.change = LiveEvent(detail.live_seq, "run", text)
        self.is_over = detail.finished_at is not None
        self.under_way = frozenset(trial.id for trial in detail.trials if trial.state in UNDER_WAY)

    def is_fresh(self) -> bool:
        return time.monotonic() - self.read_at < _FRESH_S


class RunFeed:
    """Listens to one run as long as somebody watches it."""

    def __init__(self, database: Database, run_id: UUID) -> None:
        self._database = database
        self._run_id = run_id
        self.viewers: set[Viewer] = set()
        self._feeds = TrialFeeds(database)
        self._last_seq = 0
        self._now: RunNow | None = None
        self._reading = asyncio.Lock()
        self._missed: dict[int, asyncio.Task[list[LiveEvent]]] = {}

    async def listen(self, listening: asyncio.Event) -> None:
        saying = asyncio.create_task(self._say_watched())
        try:
            await self._listen(listening)
        finally:
            saying.cancel()

    async def join(self, after_seq: int | None) -> Viewer:
        """A viewer, who has what there was before and gets all that follows: first the run as it is, then the trial
        that is under way from its start, or whatever came after a position.

        Raises NotFound, and Conflict for a run that cannot be shown.
        """
        while True:
            now = await self._recent()
            self._give(await self._feeds.derive(now.under_way))
            ended = self._feeds.ended
            missed = [] if after_seq is None else await self._missed_of_others(after_seq)
            if ended == self._feeds.ended:
                break  # no trial has left the log meanwhile
        now = self._now or now  # what was announced meanwhile; from here to the end nothing is waited for
        over = [LiveEvent(now.live_seq, "over", "{}")] if now.is_over else []
        logged = self._feeds.logged(after_seq or 0)
        events = sorted([*missed, *logged], key=lambda event: event.seq)
        viewer = Viewer([now.snapshot, *events, *over], is_over=now.is_over)
        self.viewers.add(viewer)
        return viewer

    async def _missed_of_others(self, after_seq: int) -> list[LiveEvent]:
        """Read once for all who come back at the same time, as they do after a backend has ended."""
        if after_seq not in self._missed:
            reading = asyncio.create_task(self._feeds.of_others(self._run_id, after_seq))
            self._missed[after_seq] = reading
            reading.add_done_callback(lambda _: self._missed.pop(after_seq))
        return await asyncio.shield(self._missed[after_seq])

    async def _listen(self, listening: asyncio.Event) -> None:
        with self._database.bus.listen(self._run_id) as messages:
            async with self._database.transaction() as session:
                self._last_seq = await runs.live_seq(session, self._run_id)
            self._feeds.begin(self._last_seq)
            listening.set()
            while True:
                try:
                    await self._handle_next(messages)
                except NotFound:
                    self._end_all(LiveEvent(self._last_seq, "deleted", "{}"))
                    return
                except Exception as error:  # noqa: BLE001 — logged
                    # One unreadable message, or a database that is away, must not end the stream: what was missed is
                    # read back, as after a lost subscription.
                    log.warning("live message dropped", run_id=str(self._run_id), error=repr(error))
                    messages.put_nowait(RESUBSCRIBED)
                    await asyncio.sleep(_RETRY_S)

    async def _handle_next(self, messages: Messages) -> None:
        message = await messages.get()
        if message == RESUBSCRIBED:
            await self._read_again()
        elif message.kind == "unsaid":
            if not await self._feeds.have_read_to(message.seq):
                await self._read_again()
        elif message.kind == "batch":
            live = LiveBatch.model_validate_json(message.body, extra="ignore")
            self._give(await self._feeds.from_message(message.seq, live))
        else:
            now = await self._read()
            self._feeds.keep_only(now.under_way)
            self._give([now.change])
        self._last_seq = max(self._last_seq, message.seq)

    async def _read_again(self) -> None:
        """Messages were missed: what they said is in the database."""
        self._feeds.forget()
        now = await self._read()
        self._give(await self._feeds.derive(now.under_way))
        self._give(await self._feeds.missed_of_others(self._run_id, self._last_seq))
        self._give([now.change])

    async def _say_watched(self) -> None:
        """Tell all backend processes, and with their answers the run's hosts, again and again."""
        while True:
            await self._database.bus.say_watched(self._run_id)
            await asyncio.sleep(SAY_WATCHED_EVERY_S)

    def _give(self, events: Iterable[LiveEvent]) -> None:
        for event in events:
            for viewer in self.viewers:
                viewer.give(event)

    def _end_all(self, last: LiveEvent) -> None:
        """Nothing will follow."""
        for viewer in self.viewers:
            viewer.is_over = True
            viewer.give(last)

    async def _recent(self) -> RunNow:
        """The run as it is, or was a moment ago: of many who ask at once, one reads it."""
        if self._now is not None and self._now.is_fresh():
            return self._now
        async with self._reading:
            if self._now is not None and self._now.is_fresh():
                return self._now
            return await self._read_alone()

    async def _read(self) -> RunNow:
        async with self._reading:
            return await self._read_alone()

    async def _read_alone(self) -> RunNow:
        async with self._database.transaction() as session:
            run = existing(await runs.run(session, self._run_id), "run")
            self._now = RunNow(await present(session, run, None))
        return self._now


@dataclass
class _Listened:
    """A feed with its task, and how many want it: viewers, and those who are about to be."""

    feed: RunFeed
    task: asyncio.Task[None]
    listening: asyncio.Event
    wanted_by: int = 0


class Hub:
    """One feed for each run that has viewers."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._feeds: dict[UUID, _Listened] = {}

    def viewers(self) -> int:
        """The number of open streams."""
        return sum(len(listened.feed.viewers) for listened in self._feeds.values())

    @asynccontextmanager
    async def watch(self, run_id: UUID, after_seq: int | None) -> AsyncIterator[Viewer]:
        """A viewer of the run, as :meth:`RunFeed.join` makes it."""
        if run_id not in self._feeds:
            feed, listening = RunFeed(self._database, run_id), asyncio.Event()
            self._feeds[run_id] = _Listened(feed, asyncio.create_task(feed.listen(listening)), listening)
        listened = self._feeds[run_id]
        listened.wanted_by += 1
        viewer = None
        try:
            await _begun(listened)
            viewer = await listened.feed.join(after_seq)
            yield viewer
        finally:
            listened.feed.viewers.discard(viewer)
            listened.wanted_by -= 1
            if not listened.wanted_by:
                del self._feeds[run_id]
                listened.task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await listened.task


async def _begun(listened: _Listened) -> None:
    """Wait until the feed listens. Raises what has ended it before that."""
    waiting = asyncio.create_task(listened.listening.wait())
    try:
        await asyncio.wait({waiting, listened.task}, return_when=asyncio.FIRST_COMPLETED)
        if listened.task.done():
            listened.task.result()
    finally:
        waiting.cancel()
