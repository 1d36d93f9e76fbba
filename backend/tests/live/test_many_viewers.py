"""Many viewers of one run: what they are told is read once, and all are told the same."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from harness import Backend, frame
from ngxlab.accounts import repository
from ngxlab.accounts.models import Role
from ngxlab.live import feed, hub
from ngxlab.live.router import LongReaders, Reading

VIEWERS = 30


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often something is read from the database."""
    counts: Counter[str] = Counter()

    def counted(module: Any, name: str) -> None:
        original: Callable[..., Any] = getattr(module, name)

        async def counting(*arguments: Any) -> Any:
            counts[name] += 1
            return await original(*arguments)

        monkeypatch.setattr(module, name, counting)

    counted(feed, "_stored_batches")
    counted(hub, "present")
    counted(repository, "valid_credentials")
    return counts


def _points_until(
    client: httpx2.Client, run_id: str, t_s: str, there: Callable[[], object] = lambda: None, after: str | None = None
) -> list[str]:
    """The texts of the points' events up to that instant, with their positions. ``there``: called after the first."""
    headers = {} if after is None else {"Last-Event-ID": after}
    found = []
    with client.stream("GET", f"/runs/{run_id}/live", headers=headers) as answer:
        lines: Iterator[str] = answer.iter_lines()
        assert next(lines) == "event: snapshot"
        there()
        for line in lines:
            if line.startswith(("id: ", 'data: {"trial_id"')):
                found.append(line.partition(',"read_at_us"')[0].removesuffix("}"))
            if f'"t_s":{t_s}' in line:
                return found
    raise AssertionError(f"the stream ended without t={t_s}")


def test_what_many_viewers_are_told_is_read_once(backend: Backend, read: Counter[str]) -> None:
    agent, run_id, trial_id = backend.measuring()
    clients = [backend.person(Role.viewer).client for _ in range(VIEWERS)]
    all_there = Barrier(VIEWERS + 1, timeout=60)
    with ThreadPoolExecutor(VIEWERS) as threads:
        watching = [threads.submit(_points_until, client, run_id, "3.0", all_there.wait) for client in clients]
        all_there.wait()
        agent.send(trial_id, 6, frames=[frame(4)]).raise_for_status()
        told = [viewer.result() for viewer in watching]
    assert all(one == told[0] for one in told)
    assert len(told[0]) == 2 * 5
    assert read["_stored_batches"] == 1
    assert read["present"] < VIEWERS
    assert read["valid_credentials"] <= VIEWERS


def test_who_comes_back_after_the_trial_has_ended_gets_the_rest_of_it(backend: Backend) -> None:
    agent, run_id, trial_id = backend.measuring()
    person = backend.person(Role.viewer)
    seen = _points_until(person.client, run_id, "1.0")
    agent.send(trial_id, 6, frames=[frame(4)]).raise_for_status()
    agent.end(trial_id, 7)
    position = seen[-2].removeprefix("id: ")
    told = _points_until(person.client, run_id, "3.0", after=position)[1::2]
    assert [('"t_s":2.0' in line, '"t_s":3.0' in line) for line in told] == [(True, False), (False, True)]


async def test_those_who_ask_while_a_statement_is_under_way_share_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[set[str], set[str]]] = []
    goes_on = asyncio.Event()

    async def valid(_: object, sessions: list[str], tokens: list[str], *more: object) -> dict[str, tuple[UUID, Role]]:
        asked.append((set(sessions), set(tokens)))
        await goes_on.wait()
        return dict.fromkeys(("a", "t"), (uuid4(), Role.administrator))

    monkeypatch.setattr(repository, "valid_credentials", valid)
    readers = LongReaders(None, "nobody")  # type: ignore[arg-type]  # only passed on
    first = asyncio.create_task(readers.ask(Reading(False, "a", uuid4())))
    while not asked:
        await asyncio.sleep(0)
    others = [
        asyncio.create_task(readers.ask(Reading(is_token, hashed, uuid4())))
        for is_token, hashed in ((False, "b"), (True, "t"), (False, "a"))
    ]
    await asyncio.sleep(0)
    goes_on.set()
    assert [await answer for answer in (first, *others)] == [True, False, True, True]
    assert asked == [({"a"}, set()), ({"b", "a"}, {"t"})]


async def test_an_error_of_the_database_reaches_all_who_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> set[str]:
        raise ConnectionRefusedError

    monkeypatch.setattr(repository, "valid_credentials", broken)
    readers = LongReaders(None, "nobody")  # type: ignore[arg-type]  # only passed on
    answers = await asyncio.gather(
        *(readers.ask(Reading(False, hashed, uuid4())) for hashed in ("a", "b")), return_exceptions=True
    )
    assert [type(answer) for answer in answers] == [ConnectionRefusedError] * 2
