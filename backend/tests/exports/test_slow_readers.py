"""A reader who takes nothing, or goes away, does not keep what others wait for."""

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, MutableMapping
from io import BytesIO
from itertools import count
from typing import IO, Any, cast
from uuid import uuid4

import pytest
from arro3.io import write_parquet
from ngxlab.exports import parquet_file, router
from ngxlab.exports.formats import ExportName, RunName
from ngxlab.exports.router import file_answer, made_file
from ngxlab.exports.rows import Row
from ngxlab.exports.service import Export
from ngxlab.metrics.schemas import TrialSeries
from ngxlab.reports.schemas import Report

_LONG_S = 90
_HTTP = {"type": "http", "asgi": {"spec_version": "2.3"}}


class _Pieces:
    """``closed``: so is what they are made from."""

    def __init__(self, number: int | None = None) -> None:
        self.closed, self._number = False, number

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        try:
            for _ in range(self._number) if self._number is not None else count():
                yield b"piece" * router.PIECE
                await asyncio.sleep(0)
        finally:
            await asyncio.sleep(0)  # as a transaction ends
            self.closed = True


class _Reader:
    """Takes the head and one piece, and then no more, though the connection stays. ``stuck``: from now on."""

    def __init__(self) -> None:
        self.stuck, self.gone, self._taken = asyncio.Event(), asyncio.Event(), 0

    async def receive(self) -> MutableMapping[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, _: MutableMapping[str, Any]) -> None:
        self._taken += 1
        if self._taken > 2:
            self.stuck.set()
            await asyncio.Event().wait()


NAME = RunName("An experiment", 1)


async def test_a_file_is_made_before_it_is_read() -> None:
    pieces = _Pieces(3)
    with await made_file(Export(NAME, pieces.__aiter__())) as file:
        assert pieces.closed
        assert file.tell() == 3 * 5 * router.PIECE


async def test_what_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(router, "LONGEST_S", 0.01)
    pieces = _Pieces()
    with pytest.raises(TimeoutError):
        await made_file(Export(NAME, pieces.__aiter__()))
    assert pieces.closed


async def _sent(reader: _Reader, file: IO[bytes]) -> None:
    await file_answer(ExportName.data_csv, NAME, file)(_HTTP, reader.receive, reader.send)


async def test_who_reads_too_slowly_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(router, "SLOWEST_S", 0.01)
    reader, file = _Reader(), BytesIO(b"x" * 3 * router.PIECE)
    sending = asyncio.create_task(_sent(reader, file))
    await asyncio.wait({sending}, timeout=_LONG_S)
    assert isinstance(sending.exception(), TimeoutError)
    assert file.closed


async def test_a_file_is_closed_when_its_reader_goes() -> None:
    reader, file = _Reader(), BytesIO(b"x" * 3 * router.PIECE)
    async with asyncio.timeout(_LONG_S):
        sending = asyncio.create_task(_sent(reader, file))
        await reader.stuck.wait()
        reader.gone.set()
        await sending
    assert file.closed


class _Trials:
    """Three of them; the second is not read before it is ``wanted``. ``written``: the writer's thread has ended."""

    def __init__(self) -> None:
        self.begun, self.wanted, self.written, self.read = asyncio.Event(), asyncio.Event(), threading.Event(), 0

    async def series(self) -> AsyncIterator[TrialSeries]:
        for _ in range(3):
            self.read += 1
            if self.read == 2:
                self.begun.set()
                await self.wanted.wait()
            yield TrialSeries(trial_id=uuid4(), block=1, arm="a", live_seq=0, series=[], actions=[], unreadable=[])

    def write(self, *told: Any, **options: Any) -> None:
        try:
            write_parquet(*told, **options)
        finally:
            self.written.set()


async def test_nobody_writes_a_table_whose_reader_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = _Trials()
    monkeypatch.setattr(parquet_file, "write_parquet", trials.write)
    monkeypatch.setattr(parquet_file, "report_rows", lambda _: iter([Row("series")]))
    pieces = parquet_file.pieces(cast("Report", None), trials.series())
    async with asyncio.timeout(_LONG_S):
        download = asyncio.ensure_future(anext(pieces))
        await trials.begun.wait()
        download.cancel()
        asyncio.get_running_loop().call_soon(trials.wanted.set)
        await asyncio.wait({download})
    assert download.cancelled()
    assert trials.written.is_set()
    assert trials.read == 2
