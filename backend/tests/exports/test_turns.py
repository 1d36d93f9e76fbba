"""Who waits for a file."""

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from typing import IO, Any
from urllib.parse import urlsplit

import pytest
from exports.measured import Finished
from ngxlab.exports.archive import importing
from ngxlab.exports.router import ExportTurns
from ngxlab.exports.service import Export, export
from services import wait_until
from sqlalchemy import text

pytestmark = pytest.mark.timeout(600)  # the run that all share is made by the first
_HELD = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'"


class _Closed:
    """No place is free until it is opened."""

    def __init__(self) -> None:
        self.asked, self.opened = threading.Event(), threading.Event()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        self.asked.set()
        await asyncio.to_thread(self.opened.wait)
        yield


def test_who_waits_for_a_place_holds_no_connection(finished: Finished, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = _Closed()
    monkeypatch.setattr(ExportTurns, "place", lambda _: closed.place())
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(finished.person.client.get, f"/runs/{finished.id}/exports/report.md", timeout=300)
        try:
            assert closed.asked.wait(90)
            wait_until(lambda: _held(finished) == 0, "the end of the transaction that found the caller")
        finally:
            closed.opened.set()
        assert answer.result(300).status_code == 200


async def _endless() -> AsyncGenerator[bytes]:
    for _ in range(64):
        yield b"x" * (1 << 20)


def test_who_reads_a_link_slowly_keeps_nobody_waiting(finished: Finished, monkeypatch: pytest.MonkeyPatch) -> None:
    """More of them than there are places, each with more to read than fits between it and the server."""

    async def large_for_links(*told: Any, shown: Any, **asked: Any) -> Export:
        made = await export(*told, shown=shown, **asked)
        return replace(made, pieces=_endless()) if shown is not None else made

    monkeypatch.setattr("ngxlab.exports.router.export", large_for_links)
    address = urlsplit(finished.backend.url)
    with ExitStack() as readers:
        for _ in range(4):
            reader = readers.enter_context(socket.create_connection((address.hostname, address.port or 80)))
            path = f"/api/v1/shared/{finished.share()}/exports/data.csv"
            reader.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert reader.recv(12) == b"HTTP/1.1 200"
        assert finished.export("report.md")


def test_who_sends_an_archive_slowly_keeps_nobody_waiting(finished: Finished, monkeypatch: pytest.MonkeyPatch) -> None:
    """More of them than there are places, each a person of their own; then archives are taken in."""
    receive, received = importing._received, threading.Semaphore(0)
    go_on = threading.Event()

    async def told(file: IO[bytes], body: AsyncIterator[bytes]) -> str:
        received.release()
        return await receive(file, body)

    def slowly() -> Iterator[bytes]:
        yield b"PK"
        go_on.wait()

    monkeypatch.setattr(importing, "_received", told)
    people = [finished.backend.person() for _ in range(4)]
    with ThreadPoolExecutor(len(people)) as pool:
        sent = [pool.submit(one.client.post, "/runs/import", content=slowly(), timeout=300) for one in people]
        try:
            for _ in people:
                assert received.acquire(timeout=90)
            assert finished.export("report.md")
            again = finished.person.client.post("/runs/import", content=finished.export("run.zip"), timeout=300)
            assert again.json()["code"] == "run-exists"
        finally:
            go_on.set()
        assert [one.result(300).status_code for one in sent] == [422] * 4


def test_an_import_ends_with_whoever_asked_for_it(finished: Finished, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def endless(_: Any) -> Any:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    monkeypatch.setattr(importing, "in_own_process", endless)
    address = urlsplit(finished.backend.url)
    request = finished.person.client.build_request("POST", "/runs/import", content=b"PK")
    lines = [b"POST %s HTTP/1.1" % request.url.raw_path, *(b": ".join(header) for header in request.headers.raw)]
    with socket.create_connection((address.hostname, address.port or 80)) as sender:
        sender.sendall(b"\r\n".join([*lines, b"", b"PK"]))
        assert begun.wait(90)
    assert ended.wait(90)


def _held(finished: Finished) -> int:
    async def count(session: Any) -> int:
        return int(await session.scalar(text(_HELD)))

    found: int = finished.backend.operator(count)
    return found
