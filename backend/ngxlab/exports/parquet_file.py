"""The long table as a Parquet file: written to the disk in batches, since the index of a file stands at its end."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterator
from itertools import islice, takewhile
from tempfile import NamedTemporaryFile
from threading import Event

from anyio import CancelScope
from arro3.core import Array, DataType, Field, RecordBatch, RecordBatchReader, Schema
from arro3.io import write_parquet

from ngxlab.exports.rows import Row, report_rows, series_rows
from ngxlab.metrics.schemas import TrialSeries
from ngxlab.reports.schemas import Report

_PIECE_BYTES = 1 << 20
_ROWS_AT_A_TIME = 50_000
_TYPES = {
    "block": DataType.int64(),
    "t_s": DataType.float64(),
    "value": DataType.float64(),
    "low": DataType.float64(),
    "high": DataType.float64(),
}
_SCHEMA = Schema([Field(name, _TYPES.get(name, DataType.utf8()), nullable=True) for name in Row._fields])


async def pieces(report: Report, series: AsyncIterator[TrialSeries]) -> AsyncGenerator[bytes]:
    loop, given_up = asyncio.get_running_loop(), Event()

    def rows() -> Iterator[Row]:
        """In the writer's thread, which waits for the loop to read each trial."""
        yield from report_rows(report)
        while not given_up.is_set():
            if (one := asyncio.run_coroutine_threadsafe(_next(series), loop).result()) is None:
                return
            yield from takewhile(lambda _: not given_up.is_set(), series_rows(one))

    with NamedTemporaryFile(prefix="ngxlab-export-", suffix=".parquet") as file:
        batches = RecordBatchReader.from_batches(_SCHEMA, (_batch(some) for some in _in_batches(rows())))
        await _to_its_end(asyncio.to_thread(write_parquet, batches, file.name, compression="zstd(3)"), given_up)
        while piece := await asyncio.to_thread(file.read, _PIECE_BYTES):
            yield piece


async def _to_its_end(writing: Coroutine[None, None, None], given_up: Event) -> None:
    """Also where nobody wants the file any more: then it ends soon, and until then what it reads and writes stays."""
    thread = asyncio.ensure_future(writing)
    try:
        await asyncio.shield(thread)
    finally:
        given_up.set()
        with CancelScope(shield=True):
            await asyncio.wait({thread})


async def _next(series: AsyncIterator[TrialSeries]) -> TrialSeries | None:
    return await anext(series, None)


def _batch(rows: list[Row]) -> RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [
        Array(list(values), type=_TYPES.get(name, DataType.utf8()))
        for name, values in zip(Row._fields, columns, strict=True)
    ]
    return RecordBatch.from_arrays(arrays, schema=_SCHEMA)


def _in_batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while some := list(islice(rows, _ROWS_AT_A_TIME)):
        yield some
