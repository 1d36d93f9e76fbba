"""A batch is taken once and in order, by one statement where it has nothing but readings and latencies."""

from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any
from uuid import UUID

import pytest
from harness import T0_US, Agent, Backend, fleet, frame
from ngxlab.accounts.secrets import token_hash
from ngxlab.core.database import Database, Prepared, database_of
from ngxlab.hosts.models import Host
from ngxlab.metrics import storing
from ngxlab.metrics.models import FrameRow, LatencyIntervalRow
from ngxlab.runs.models import Run, Trial, TrialHost
from ngxlab.worker_api import batches
from ngxlab.worker_api.batches import Batches, ReceivedBatch
from ngxlab_contracts.telemetry import (
    Batch,
    Frame,
    LatencyInterval,
    Layout,
    NoteEvent,
    SeriesDef,
    StreamResult,
)
from ngxlab_contracts.trials import BatchAck
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

GAP = frame(5).model_copy(update={"values": [1.5, None, 0, -1e24, 1, 2, 3, 4]})


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is asked of the database by itself, and ``a transaction`` for each."""
    asked: list[str] = []
    ask, transaction = Database.ask, Database.transaction

    async def noted(self: Database, statement: Prepared, given: Any = None) -> Any:
        asked.append(statement.text)
        return await ask(self, statement, given)

    def noted_transaction(self: Database) -> Any:
        asked.append("a transaction")
        return transaction(self)

    monkeypatch.setattr(Database, "ask", noted)
    monkeypatch.setattr(Database, "transaction", noted_transaction)
    return asked


def _own(statements: list[str]) -> list[str]:
    """Without those of loops."""
    return [one for one in statements if one == "a transaction" or "acked_seq" in one]


def _interval(second: int, histogram: str | None = None) -> LatencyInterval:
    return LatencyInterval(
        stream="nginx", t0_us=T0_US + second, t1_us=T0_US + second + 1, count=0, histogram=histogram, quantity="service"
    )


def _stored(backend: Backend, trial_id: str) -> list[Any]:
    """What is stored of a trial by batch 6 or later: frames, intervals, and how far host and run are."""

    async def work(session: AsyncSession) -> list[Any]:
        row, interval = FrameRow, LatencyIntervalRow
        frames = select(row.layout, row.t_us, row.took_us, row.live_seq, row.values).where(
            row.trial_id == UUID(trial_id), row.t_us >= frame(4).t_us
        )
        intervals = select(
            interval.stream, interval.t0_us, interval.t1_us, interval.count, interval.histogram, interval.quantity,
            interval.live_seq,
        ).where(interval.trial_id == UUID(trial_id))  # fmt: skip
        position = select(TrialHost.acked_seq, TrialHost.clock_offset_us, Run.live_seq).where(
            TrialHost.trial_id == UUID(trial_id), Trial.id == TrialHost.trial_id, Run.id == Trial.run_id
        )
        results = [
            await session.execute(query)
            for query in (frames.order_by(row.id), intervals.order_by(interval.t0_us), position)
        ]
        return [[tuple(found) for found in result] for result in results]

    found: list[Any] = backend.operator(work)
    return found


def _from(stored: list[Any], live_seq: int) -> list[Any]:
    """With positions counted from that of the run before."""
    frames, intervals, [(acked, offset, position)] = stored
    return [
        [(*one[:3], one[3] - live_seq, one[4]) for one in frames],
        [(*one[:-1], one[-1] - live_seq) for one in intervals],
        (acked, offset, position - live_seq),
    ]


def _live_seq(backend: Backend, run_id: str) -> int:
    found: int = backend.operator(lambda session: session.scalar(select(Run.live_seq).where(Run.id == UUID(run_id))))
    return found


def _send_two(backend: Backend) -> tuple[list[Any], list[Any]]:
    """Two batches without events, and what they leave; the answers to them."""
    agent, run_id, trial_id = backend.measuring()
    before = _live_seq(backend, run_id)
    answers = [
        agent.send(trial_id, 6, frames=[frame(4), GAP], intervals=[_interval(1), _interval(2)]),
        agent.send(trial_id, 7, intervals=[_interval(3)]),
    ]
    receipts = [answer.raise_for_status().json() for answer in answers]
    assert all(receipt["control"].pop("start_at_us") for receipt in receipts)
    return _from(_stored(backend, trial_id), before), receipts


def test_many_values_leave_what_few_leave(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    few = _send_two(backend)
    monkeypatch.setattr(batches, "_MOST_VALUES", 0)
    assert _send_two(backend) == few
    assert len(few[0][0]) == 2
    assert few[0][0][1][4] == GAP.values


def test_readings_alone_are_one_statement(backend: Backend, statements: list[str]) -> None:
    agent, _, trial_id = backend.measuring()
    agent.beat().raise_for_status()
    statements.clear()
    for seq in (6, 7):
        answer = agent.send(trial_id, seq, frames=[frame(4), GAP])
        assert answer.json() == {
            "acked_seq": seq,
            "control": {"command": "continue", "start_at_us": answer.json()["control"]["start_at_us"],
                        "endpoints": [], "streams_done": False, "revision": 1},
        }  # fmt: skip
    own = _own(statements)
    assert len([one for one in own if one != "a transaction"]) == 2
    assert len(own) - 2 <= 1, "a check of the trial so far, at most"


def test_readings_with_an_event_leave_the_same_and_the_event(backend: Backend) -> None:
    agent, run_id, trial_id = backend.measuring()
    before = _live_seq(backend, run_id)
    note = NoteEvent(t_us=T0_US, severity="info", code="note", message="A note.")
    content = {"frames": [frame(4), GAP], "intervals": [_interval(1)]}
    agent.send(trial_id, 6, **content, events=[note]).raise_for_status()
    with_event = _from(_stored(backend, trial_id), before)
    agent, run_id, trial_id = backend.measuring()
    before = _live_seq(backend, run_id)
    agent.send(trial_id, 6, **content).raise_for_status()
    assert _from(_stored(backend, trial_id), before) == with_event


@pytest.mark.parametrize("most_values", [batches._MOST_VALUES, 0], ids=["in the statement", "by a COPY"])
def test_a_batch_that_comes_several_times_at_once_is_stored_once(
    backend: Backend, monkeypatch: pytest.MonkeyPatch, most_values: int
) -> None:
    agent, run_id, trial_id = backend.measuring()
    monkeypatch.setattr(batches, "_MOST_VALUES", most_values)
    before = _live_seq(backend, run_id)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: agent.send(trial_id, 6, frames=[frame(4)]), range(8)))
    assert {(answer.status_code, answer.json()["acked_seq"]) for answer in answers} == {(200, 6)}
    frames, _, position = _from(_stored(backend, trial_id), before)
    assert (len(frames), position[0]) == (1, 6)


def test_a_batch_whose_copy_fails_is_taken_when_it_comes_again(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, run_id, trial_id = backend.measuring()
    before = _live_seq(backend, run_id)
    monkeypatch.setattr(batches, "_MOST_VALUES", 0)
    with monkeypatch.context() as patch:
        patch.setattr(storing, "FRAME_COLUMNS", ("nobody_has_this_column",))
        assert agent.send(trial_id, 6, frames=[frame(4)], intervals=[_interval(1)]).status_code == 500
    assert _stored(backend, trial_id) == [[], [], [(5, 0, before)]]
    assert agent.send(trial_id, 6, frames=[frame(4)]).raise_for_status().json()["acked_seq"] == 6
    assert len(_stored(backend, trial_id)[0]) == 1


def test_a_repeated_batch_is_acknowledged_with_the_present_orders(backend: Backend) -> None:
    agent, run_id, trial_id = backend.measuring()
    assert agent.send(trial_id, 6, frames=[frame(4)]).json()["control"]["command"] == "continue"
    backend.person().client.post(f"/runs/{run_id}/cancel").raise_for_status()
    for seq in (5, 6):
        again = agent.send(trial_id, seq, frames=[frame(4)]).raise_for_status().json()
        assert (again["acked_seq"], again["control"]["command"]) == (6, "cancel")
    assert len(_stored(backend, trial_id)[0]) == 1


def test_a_repeated_declaration_is_acknowledged_and_a_second_one_refused(backend: Backend) -> None:
    agent, _, trial_id = backend.measuring()
    layout = Layout(id=7, collector="c", series=[SeriesDef(name="s", unit="1", kind="gauge")])
    reading = Frame(layout=7, t_us=frame(4).t_us, took_us=1, values=[1])
    for _ in range(2):
        assert agent.send(trial_id, 6, layouts=[layout], frames=[reading]).json()["acked_seq"] == 6
    refused = agent.send(trial_id, 7, layouts=[layout])
    assert (refused.status_code, refused.json()["code"]) == (422, "bad-layout")
    assert agent.send(trial_id, 7, frames=[reading]).json()["acked_seq"] == 7


def test_what_a_network_repeats_and_mixes_up_is_stored_once_and_in_order(backend: Backend) -> None:
    """An agent sends what was not acknowledged again; what is still on its way may arrive at any time."""
    agent, _, trial_id = backend.measuring()
    dice, last = Random(24), 20
    known = 5
    while known < last:
        sent = [known + 1, *(dice.randint(6, last) for _ in range(3))]
        dice.shuffle(sent)
        with ThreadPoolExecutor(2) as threads:
            answers = list(threads.map(lambda seq: agent.send(trial_id, seq, intervals=[_interval(seq)]), sent))
        assert {answer.status_code for answer in answers} <= {200, 409}
        known = max(known, *(answer.json()["acked_seq"] for answer in answers if answer.status_code == 200))
    _, intervals, [(acked, _, _)] = _stored(backend, trial_id)
    assert acked == last
    assert [interval[1] for interval in intervals] == [_interval(seq).t0_us for seq in range(6, last + 1)]
    assert [interval[-1] for interval in intervals] == sorted({interval[-1] for interval in intervals})


def test_what_another_process_has_taken_is_known(backend: Backend) -> None:
    """Another process of the backend takes the batch that declares a layout."""
    agent, _, trial_id = backend.measuring()
    layout = Layout(id=7, collector="c", series=[SeriesDef(name="s", unit="1", kind="gauge")])
    declaring = Batch(seq=6, clock_offset_us=0, layouts=[layout])
    credential = agent.client.headers["Authorization"].removeprefix("Bearer ")

    async def elsewhere(session: AsyncSession) -> BatchAck:
        received = ReceivedBatch(declaring, declaring.model_dump_json().encode())
        return await Batches(database_of(session)).accept(token_hash(credential), UUID(trial_id), received)

    assert backend.operator(elsewhere).acked_seq == 6
    reading = Frame(layout=7, t_us=frame(4).t_us, took_us=1, values=[1])
    assert agent.send(trial_id, 7, frames=[reading]).json()["acked_seq"] == 7


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ({"frames": [frame(4).model_copy(update={"values": [1.0]})]}, "bad-frame"),
        ({"frames": [frame(4).model_copy(update={"layout": 99})]}, "bad-frame"),
        ({"intervals": [_interval(1).model_copy(update={"stream": "nobody"})]}, "unknown-stream"),
        ({"intervals": [_interval(1, "no histogram")]}, "bad-histogram"),
        ({"intervals": [_interval(1).model_copy(update={"t1_us": 0})]}, "bad-interval"),
    ],
)
def test_what_could_not_be_read_back_is_refused_and_leaves_nothing(
    backend: Backend, content: dict[str, Any], code: str
) -> None:
    agent, run_id, trial_id = backend.measuring()
    before = _live_seq(backend, run_id)
    whole: dict[str, list[Any]] = {"frames": [frame(4)], "intervals": [_interval(2)]}
    refused = agent.send(trial_id, 6, **{name: some + content.get(name, []) for name, some in whole.items()})
    assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert _stored(backend, trial_id) == [[], [], [(5, 0, before)]]
    assert agent.send(trial_id, 6, **whole).json()["acked_seq"] == 6


def test_a_host_that_has_ended_reports_nothing_more(backend: Backend) -> None:
    agent, _, trial_id = backend.measuring()
    agent.end(trial_id)
    answer = agent.send(trial_id, 7, frames=[frame(4)])
    assert (answer.status_code, answer.json()["code"]) == (409, "host-done")


def test_a_gap_is_named(backend: Backend) -> None:
    agent, _, trial_id = backend.measuring()
    answer = agent.send(trial_id, 8, frames=[frame(4)])
    assert (answer.status_code, answer.json()["code"]) == (409, "batch-gap")


def test_a_trial_that_was_given_up_takes_nothing_more(backend: Backend) -> None:
    agent, _, trial_id = backend.measuring()

    async def give_up(session: AsyncSession) -> None:
        lost = {"state": "lost", "code": "agent-restarted", "reason": "Given up."}
        await session.execute(update(Trial).where(Trial.id == UUID(trial_id)).values(lost))

    backend.operator(give_up)
    answer = agent.send(trial_id, 6, frames=[frame(4)]).raise_for_status()
    assert answer.json()["control"]["command"] == "discard"
    assert _stored(backend, trial_id)[0] == []


def test_a_cancelled_run_says_so_in_the_receipt(backend: Backend) -> None:
    agent, run_id, trial_id = backend.measuring()
    backend.person().client.post(f"/runs/{run_id}/cancel").raise_for_status()
    assert agent.send(trial_id, 6, frames=[frame(4)]).json()["control"]["command"] == "cancel"


def test_a_trial_given_up_for_silence_goes_on_with_its_next_batch(backend: Backend) -> None:
    agent, _, trial_id = backend.measuring()

    async def give_up(session: AsyncSession) -> None:
        lost = {"state": "lost", "code": "agent-lost", "reason": "Silent."}
        await session.execute(update(Trial).where(Trial.id == UUID(trial_id)).values(lost))

    backend.operator(give_up)
    answer = agent.send(trial_id, 6, frames=[frame(4)]).raise_for_status()
    assert (answer.json()["acked_seq"], answer.json()["control"]["command"]) == (6, "continue")
    assert len(_stored(backend, trial_id)[0]) == 1
    assert backend.coordinator().client.get(f"/coordinator/trials/{trial_id}").json()["state"] == "finishing"


def test_another_host_and_a_removed_one_store_nothing(backend: Backend) -> None:
    agent, _, trial_id = backend.measuring()
    assert backend.agent().send(trial_id, 6, frames=[frame(4)]).json()["code"] == "unknown-trial"

    async def remove(session: AsyncSession) -> None:
        await session.execute(update(Host).where(Host.id == agent.host_id).values(removed_at=Host.created_at))

    backend.operator(remove)
    assert agent.send(trial_id, 6, frames=[frame(4)]).status_code == 401
    assert _stored(backend, trial_id)[0] == []


def test_receipts_say_what_the_other_host_of_a_trial_does(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    target, generator, trial_id = fleet(backend)
    with monkeypatch.context() as patch:
        patch.setattr(batches, "_MOST_VALUES", -1)
        in_a_transaction = [agent.send(trial_id, 3).json() for agent in (target, generator)]
    alone = [agent.send(trial_id, 4).json() for agent in (target, generator)]
    assert [answer["control"] for answer in alone] == [answer["control"] for answer in in_a_transaction]
    assert alone[1]["control"]["endpoints"] == [{"name": "target", "address": "10.0.0.1", "ports": [8080]}]
    ended = StreamResult(t_us=T0_US, stream="wrk", exit_code=0, live_requests=1, stub_requests=None, printed=None)
    generator.send(trial_id, 5, events=[ended]).raise_for_status()
    assert target.send(trial_id, 5).json()["control"]["streams_done"] is True


def test_hosts_of_a_run_that_report_at_once_get_positions_of_their_own(backend: Backend) -> None:
    target, generator, trial_id = fleet(backend)
    interval = [_interval(1)]

    def report(agent: Agent) -> None:
        for seq in range(3, 13):
            agent.send(trial_id, seq, intervals=interval).raise_for_status()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(report, (target, generator)))
    positions = [one[-1] for one in _stored(backend, trial_id)[1]]
    assert len(set(positions)) == len(positions) == 20
