"""One clock for all backends of an installation: the database's.

Leases, the silence of hosts and the instants at which trials start are compared by whichever backend is asked, and
hosts measure the offset of their clocks against whichever answers. So a backend whose machine's clock differs from that
of the database's machine corrects its own. One that shares the machine, and one whose clock differs by less than the
way to the database lets it know, corrects nothing.
"""

import asyncio
import math
import time
from collections.abc import Callable
from typing import NamedTuple

import structlog
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from ngxlab.core import clock
from ngxlab.core.database import Database, Prepared

log = structlog.get_logger()

_PERIOD_S = 12.0
_SAMPLES = 5
_ASK = Prepared(text("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint) AS us"))


class Reading(NamedTuple):
    """The database's clock less this machine's, and by how much that may be wrong; microseconds."""

    ahead_us: int
    uncertain_us: int

    def agrees_with(self, shift_us: int) -> bool:
        return abs(self.ahead_us - shift_us) <= self.uncertain_us


class SharedClock:
    """Follows the database's clock."""

    def __init__(self, database: Database, after: Callable[[], None] = lambda: None) -> None:
        self._database, self._after = database, after
        self._looked_at = -math.inf

    def age_s(self) -> float:
        """Seconds since the database was asked."""
        return time.monotonic() - self._looked_at

    async def follow(self) -> None:
        """Never ends by itself. ``after`` is called whenever the database has answered."""
        while True:
            try:
                await self.look()
                self._after()
            except (SQLAlchemyError, OSError) as error:
                log.warning("the database's clock was not read", error=f"{type(error).__name__}: {error}")
            await asyncio.sleep(_PERIOD_S)

    async def look_now_and_then(self) -> None:
        """As :meth:`follow` does, for whoever works now and then."""
        if self.age_s() >= _PERIOD_S:
            await self.look()

    async def look(self) -> None:
        """Correct this process' clock where it is certainly wrong."""
        agrees = (await self._read()).agrees_with(clock.shift_us())
        self._looked_at = time.monotonic()
        if agrees:
            return
        best = min([await self._read() for _ in range(_SAMPLES)], key=lambda reading: reading.uncertain_us)
        if not best.agrees_with(clock.shift_us()):
            log.warning("this machine's clock differs from the database's", by_ms=-best.ahead_us / 1000)
            clock.shift(best.ahead_us)

    async def _read(self) -> Reading:
        began_us, asked = clock.machine_us(), time.perf_counter_ns()
        database_us = (await self._database.ask(_ASK))[0]["us"]
        way_us = (time.perf_counter_ns() - asked) // 2000
        return Reading(database_us - began_us - way_us, way_us)
