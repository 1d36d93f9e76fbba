"""A trial is computed the same here and in a process of its own, from what is stored and from what is at hand."""

import asyncio
from uuid import UUID

import pytest
from harness import Backend
from ngxlab.analysis.records.stream_spans import Span
from ngxlab.metrics.raw_data import raw_data
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.results import one_trial
from ngxlab.runs.results.one_trial import StoredTrial
from ngxlab.runs.results.records_at_hand import RecordsAtHand
from ngxlab.runs.results.second_processor import SecondProcessor
from ngxlab.runs.telemetry import reporting_hosts, trial_record
from sqlalchemy.ext.asyncio import AsyncSession


@pytest.fixture(scope="module")
def stored(backend: Backend) -> StoredTrial:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    trial_id = UUID(coordinator.begin(person.run(agent)["id"]))
    agent.whole_trial(coordinator, str(trial_id))

    async def work(session: AsyncSession) -> StoredTrial:
        trial = await session.get_one(Trial, trial_id)
        run = await session.get_one(Run, trial.run_id)
        return StoredTrial.of(trial, reporting_hosts(run, trial), await raw_data(session, [trial_id]), None)

    read: StoredTrial = backend.operator(work)
    return read


@pytest.mark.parametrize("window", [None, Span(0.0, 0.5)])
def test_another_process_computes_the_same(stored: StoredTrial, window: Span | None) -> None:
    asked = stored._replace(window=window)

    async def beside() -> one_trial.Result | None:
        processor = SecondProcessor()
        processor.start()
        try:
            return await processor.compute(asked)
        finally:
            processor.stop()

    assert asyncio.run(beside()) == one_trial.result(asked)
    assert (one_trial.result(asked)[0].window_chosen is None) == (window is None)


def test_another_window_is_computed_the_same_from_what_is_at_hand(stored: StoredTrial) -> None:
    moved, key = Span(0.5, 1.5), "a trial at hand"
    record = trial_record(stored.facts, stored.hosts, stored.data)

    async def beside() -> tuple[one_trial.Result | None, ...]:
        processor = SecondProcessor()
        processor.start()
        try:
            assert not processor.has(key)
            nothing = await processor.again(key, moved, None)
            await processor.compute(stored._replace(key=key))
            assert processor.has(key)
            sent = await processor.again("another", moved, record)
            assert processor.has("another")
            return nothing, await processor.again(key, moved, None), await processor.again("another", None, None), sent
        finally:
            processor.stop()

    expected = one_trial.result(stored._replace(window=moved))
    assert one_trial.again(key, moved) is None
    one_trial.result(stored._replace(key=key))
    assert one_trial.again(key, moved) == expected
    assert one_trial.again(key, None) == one_trial.result(stored)
    assert asyncio.run(beside()) == (None, expected, one_trial.result(stored), expected)


def test_no_more_is_kept_at_hand_than_its_share_of_memory(stored: StoredTrial) -> None:
    record = trial_record(stored.facts, stored.hosts, stored.data)
    unbounded = RecordsAtHand()
    unbounded.keep("1", record)
    assert unbounded.get("1") == record
    takes = sum(table.values.nbytes for host in record.hosts for table in host.tables.values())
    assert takes > 0
    small = RecordsAtHand(most_bytes=5 * takes)
    for key in "123456789":
        small.keep(key, record)
        assert small.get("1") is not None, "what is used stays"
    kept = [key for key in "123456789" if small.get(key) is not None]
    assert {kept[0], kept[-1]} == {"1", "9"}
    assert 2 <= len(kept) <= 5


def test_what_the_process_cannot_compute_is_left_to_this_one(stored: StoredTrial) -> None:
    async def beside() -> tuple[one_trial.Result | None, one_trial.Result | None]:
        processor = SecondProcessor()
        processor.start()
        try:
            broken = await processor.compute(stored._replace(data="no data"))  # type: ignore[arg-type]
            return broken, await processor.compute(stored)
        finally:
            processor.stop()

    broken, next_one = asyncio.run(beside())
    assert broken is None
    assert next_one == one_trial.result(stored)


def test_without_a_process_nothing_is_computed_there(stored: StoredTrial) -> None:
    assert asyncio.run(SecondProcessor().compute(stored)) is None
