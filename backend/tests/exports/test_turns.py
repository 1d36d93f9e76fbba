"""Who waits for a file."""

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import pytest
from exports.measured import Finished
from ngxlab.exports.router import ExportTurns
from services import wait_until
from sqlalchemy import text

pytestmark = pytest.mark.timeout(600)  # the run that all share is made by the first
_HELD = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'"


class _Closed:
    """No place is free until it is opened."""

    def __init__(self) -> None:
        self.asked, self.opened = threading.Event(), threading.Event()

    @asynccontextmanager
    async def turn(self, _: UUID) -> AsyncIterator[None]:
        self.asked.set()
        await asyncio.to_thread(self.opened.wait)
        yield


def test_who_waits_for_a_place_holds_no_connection(finished: Finished, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = _Closed()
    monkeypatch.setattr(ExportTurns, "turn", closed.turn)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(finished.person.client.get, f"/runs/{finished.id}/exports/report.md", timeout=300)
        try:
            assert closed.asked.wait(90)
            wait_until(lambda: _held(finished) == 0, "the end of the transaction that found the caller")
        finally:
            closed.opened.set()
        assert answer.result(300).status_code == 200


def _held(finished: Finished) -> int:
    async def count(session: Any) -> int:
        return int(await session.scalar(text(_HELD)))

    found: int = finished.backend.operator(count)
    return found
