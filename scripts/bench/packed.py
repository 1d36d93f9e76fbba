"""Have the backend pack runs at once, instead of some minutes after their end."""

import asyncio
import time

from scripts.bench.lab import Connection
from scripts.bench.results import NotMeasuredError

_PATIENCE_S = 600
_LOOK_S = 0.2

_ENDED_LONG_AGO = "UPDATE run SET finished_at = finished_at - interval '1 hour' WHERE {} AND packed_at IS NULL"
_IS_LEFT = """
    SELECT EXISTS (
        SELECT FROM run WHERE {} AND raw_removed_at IS NULL AND (packed_at IS NULL OR raw_bytes IS NULL)
    )
"""
_ONE = "id = $1"
_ALL = "finished_at IS NOT NULL"


async def packed(connection: Connection, run_id: str) -> float:
    """Wait until the run is packed and measured again. Seconds that it took, with the wait for the backend's look."""
    return await _packed(connection, _ONE, run_id)


async def all_packed(connection: Connection) -> None:
    """Wait until all runs that are over are packed and measured again: nothing of them is left to be done."""
    await _packed(connection, _ALL)


async def _packed(connection: Connection, which: str, *given: str) -> float:
    began = time.perf_counter()
    await connection.execute(_ENDED_LONG_AGO.format(which), *given)
    while await connection.fetchval(_IS_LEFT.format(which), *given):
        if time.perf_counter() - began > _PATIENCE_S:
            raise NotMeasuredError(f"what is over was not packed within {_PATIENCE_S} s")
        await asyncio.sleep(_LOOK_S)
    return time.perf_counter() - began
