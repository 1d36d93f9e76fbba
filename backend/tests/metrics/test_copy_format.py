"""Frames written in PostgreSQL's own format, and read back by its own driver."""

import asyncio
from collections.abc import Sequence
from io import BytesIO
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from ngxlab.metrics.storing import FRAME_COLUMNS, frame_rows
from ngxlab_contracts.telemetry import Frame

TRIAL, HOST, LIVE_SEQ = UUID(int=2**127 + 5), UUID(int=7), 2**40
TABLE = """
    CREATE TEMPORARY TABLE copied (
        trial_id uuid, host_id uuid, layout smallint, t_us bigint, took_us integer, live_seq bigint,
        values double precision[]
    )
"""


def there_and_back(url: str, frames: Sequence[Frame]) -> list[tuple[Any, ...]]:
    async def run() -> list[tuple[Any, ...]]:
        connection = await asyncpg.connect(url)
        try:
            await connection.execute(TABLE)
            source = BytesIO(frame_rows(TRIAL, HOST, LIVE_SEQ, frames))
            await connection.copy_to_table("copied", columns=FRAME_COLUMNS, source=source, format="binary")
            return [tuple(row) for row in await connection.fetch("SELECT * FROM copied")]
        finally:
            await connection.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    "values",
    [
        [],
        [0.0],
        [None],
        [None, 1.5, None],
        [1.0, -2.5e23, 5e-324, -0.0],
        [float(number) / 3 for number in range(2000)],
        [None if number % 7 == 0 else float(number) for number in range(2000)],
    ],
    ids=["none", "one", "one null", "nulls", "extremes", "many", "many with nulls"],
)
def test_what_is_copied_is_what_was_read(postgresql_url: str, values: list[float | None]) -> None:
    frames = [Frame(layout=n, t_us=2**50 + n, took_us=n, values=values) for n in (0, 1, 32_767)]
    assert there_and_back(postgresql_url, frames) == [
        (TRIAL, HOST, n, 2**50 + n, n, LIVE_SEQ, values) for n in (0, 1, 32_767)
    ]


def test_nothing_is_a_copy_too(postgresql_url: str) -> None:
    assert there_and_back(postgresql_url, []) == []
