"""One browser's part of a live stream."""

import asyncio
from collections import deque
from collections.abc import Iterable

from ngxlab.live.events import LiveEvent

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
