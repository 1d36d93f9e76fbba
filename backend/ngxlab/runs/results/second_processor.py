"""A process that computes trials beside this one: another window of a long run changes all of them at once.

It starts when many trials are to be computed for the first time, which does not wait for it. Without it, or when it
fails, everything is computed here.
"""

import asyncio

from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.records.stream_spans import Span
from ngxlab.core.apart.pool import ProcessPool
from ngxlab.core.errors import ApiError
from ngxlab.runs.results import one_trial
from ngxlab.runs.results.one_trial import Result, StoredTrial

_SECONDS = 30.0
"""For one trial."""


class SecondProcessor:
    """Of one process of the backend."""

    def __init__(self) -> None:
        self._pool: ProcessPool | None = None
        self._starting: asyncio.Task[None] | None = None
        self.is_ready = False
        self._at_hand = set[str]()

    def start(self) -> None:
        """Begin to start it, unless it has begun already. Call it in the event loop."""
        if self._pool is None:
            self._pool = ProcessPool(one_trial.__name__, _SECONDS, processes=1)
            self._starting = asyncio.create_task(self._wait(self._pool))

    async def started(self) -> None:
        """Begin to start it, and wait until it has, or has failed to."""
        self.start()
        if self._starting is not None:
            await asyncio.shield(self._starting)

    async def _wait(self, pool: ProcessPool) -> None:
        try:
            await pool.run(one_trial.ready.__name__, "")
            self.is_ready = self._pool is pool
        except ApiError:
            return

    async def compute(self, stored: StoredTrial) -> Result | None:
        """``None`` where it has failed: the trial is to be computed here."""
        if self._pool is None:
            return None
        request = await asyncio.to_thread(one_trial.packed, tuple(stored))
        computed = await self._ask(self._pool, one_trial.job.__name__, request)
        if computed is not None and stored.key is not None:
            self._at_hand.add(stored.key)
        return computed

    async def read(self, stored: StoredTrial) -> bool:
        """Have it read a trial with a key, whose record it then has at hand. Whether it did."""
        if self._pool is None or stored.key is None:
            return False
        request = await asyncio.to_thread(one_trial.packed, tuple(stored))
        if await self._answer(self._pool, one_trial.job_read.__name__, request) is None:
            return False
        self._at_hand.add(stored.key)
        return True

    def has(self, key: str) -> bool:
        """Whether the process probably has the record of this key at hand."""
        return key in self._at_hand

    async def again(self, key: str, window: Span | None, record: TrialRecord | None) -> Result | None:
        """As :func:`one_trial.again`; ``record``: for a process that has it not at hand. ``None`` also where it has
        failed."""
        if self._pool is None:
            return None
        request = await asyncio.to_thread(one_trial.packed, (key, window, record))
        computed = await self._ask(self._pool, one_trial.job_again.__name__, request)
        if computed is None:
            self._at_hand.discard(key)
        else:
            self._at_hand.add(key)
        return computed

    async def _ask(self, pool: ProcessPool, job: str, request: str) -> Result | None:
        answer = await self._answer(pool, job, request)
        return one_trial.unpacked(answer) if answer is not None else None

    async def _answer(self, pool: ProcessPool, job: str, request: str) -> str | None:
        try:
            return await pool.run(job, request)
        except (ApiError, RuntimeError):  # RuntimeError: it is being stopped
            self._at_hand.clear()  # another process may have taken its place
            return None

    def stop(self) -> None:
        """End the process."""
        self.is_ready = False
        self._at_hand.clear()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()


second_processor = SecondProcessor()
"""That of this process of the backend, which ends it (:mod:`ngxlab.main`)."""
