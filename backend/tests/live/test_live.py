"""The live stream: what a browser sees, and that it misses nothing when it reconnects."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import UUID

import httpx2
import pytest
from harness import T0_US, Agent, Backend, Coordinator, frame
from ngxlab.accounts.models import Role
from ngxlab.metrics.models import FrameRow
from ngxlab.runs.repository import raise_live_seq
from redis import Redis
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncSession


class Event(NamedTuple):
    seq: int
    name: str
    data: dict[str, Any]


def _events(answer: httpx2.Response) -> Iterator[Event]:
    fields: dict[str, str] = {}
    for line in answer.iter_lines():
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            yield Event(int(fields.get("id", 0)), fields["event"], json.loads(fields["data"]))
            fields = {}


def _watch_until(client: httpx2.Client, run_id: str, last_seq: int | None, wanted_t_s: float) -> list[Event]:
    """Events up to the first points at a relative time."""
    headers = {} if last_seq is None else {"Last-Event-ID": str(last_seq)}
    seen = []
    with client.stream("GET", f"/runs/{run_id}/live", headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for event in _events(answer):
            seen.append(event)
            if event.name == "points" and any(p["t_s"] >= wanted_t_s for p in event.data["points"]):
                return seen
    raise AssertionError(f"the stream ended without t={wanted_t_s}: {[(e.seq, e.name) for e in seen]}")


def _waiting_connections(events: list[Event]) -> list[tuple[float, float]]:
    points = [p for e in events if e.name == "points" for p in e.data["points"]]
    return [(p["t_s"], p["value"]) for p in points if (p["key"], p["label"]) == ("nginx_connections", "waiting")]


def _trial_in_warmup(agent: Agent, coordinator: Coordinator, run_id: str) -> str:
    trial_id = coordinator.begin(run_id)
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    return trial_id


def test_a_message_that_no_backend_has_sent_does_not_end_the_live_streams(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    trial_id = _trial_in_warmup(agent, coordinator, run["id"])
    with person.client.stream("GET", f"/runs/{run['id']}/live") as answer:
        events = _events(answer)
        assert next(events).name == "snapshot"
        with Redis.from_url(backend.settings.redis_url.get_secret_value()) as anybody:
            for channel, data in ((b"nonsense", b"1 state "), (run["id"].encode(), b"nonsense"), (b"x", b"\xff")):
                assert anybody.publish(b"ngxlab:live:" + channel, data) == 1
        agent.measure(trial_id)
        assert any(event.name == "points" for event in events)


def _insert_unreadable_data(backend: Backend, trial_id: str, agent: Agent, seq: int) -> None:
    """As it may lie in the database from before batches were checked: a frame that is too short, of live position
    ``seq``, and one of no layout."""

    async def work(session: AsyncSession) -> None:
        key = {"trial_id": UUID(trial_id), "host_id": agent.host_id, "took_us": 1, "live_seq": seq}
        rows = [{"layout": 0, "t_us": T0_US - 2, "values": [1.0]}, {"layout": 99, "t_us": T0_US - 1, "values": [1.0]}]
        await session.execute(insert(FrameRow), [key | row for row in rows])

    backend.operator(work)


def test_stored_data_that_cannot_be_read_costs_its_own_points_only(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    trial_id = _trial_in_warmup(agent, coordinator, run["id"])
    agent.measure(trial_id)
    _insert_unreadable_data(backend, trial_id, agent, person.client.get(f"/runs/{run['id']}").json()["live_seq"] + 50)
    with person.client.stream("GET", f"/runs/{run['id']}/live") as answer:
        events = _events(answer)
        assert next(events).name == "snapshot"
        assert next(event for event in events if event.name == "points")
        with Redis.from_url(backend.settings.redis_url.get_secret_value()) as anybody:
            assert anybody.publish(f"ngxlab:live:{run['id']}", b"1 batch {}") == 1
        agent.send(trial_id, 6, frames=[frame(4)]).raise_for_status()
        assert any(point["t_s"] == 3.0 for event in events if event.name == "points" for point in event.data["points"])


@pytest.mark.parametrize("how", ["disabled", "signed out"])
def test_a_stream_ends_when_its_viewer_may_no_longer_look(
    backend: Backend, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr("ngxlab.live.router._KEEP_ALIVE_S", 0.1)
    administrator, person, agent = backend.person(), backend.person(Role.viewer), backend.agent()
    run = administrator.run(agent)
    account_id = person.client.get("/auth/me").json()["account"]["id"]
    with person.client.stream("GET", f"/runs/{run['id']}/live") as answer:
        lines = answer.iter_lines()
        assert any(line == ": still here" for line in lines)
        if how == "disabled":
            administrator.client.patch(f"/accounts/{account_id}", json={"disabled": True}).raise_for_status()
        else:
            person.client.post("/auth/logout").raise_for_status()
        assert all(line != "event: over" for line in lines)  # it ends, which the run did not
    assert person.client.get(f"/runs/{run['id']}/live").status_code == 401


def test_points_of_a_trial_arrive_in_order_after_a_snapshot(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    trial_id = _trial_in_warmup(agent, coordinator, run["id"])
    agent.measure(trial_id)
    events = _watch_until(person.client, run["id"], None, 2.0)
    assert events[0].name == "snapshot"
    assert events[0].data["progress"]["current_trial_id"] == trial_id
    assert _waiting_connections(events) == [(-1.0, 10.0), (0.0, 10.0), (1.0, 10.0), (2.0, 10.0)]
    assert all(e.data["trial_id"] == trial_id for e in events if e.name == "points")
    assert all("read_at_us" not in e.data for e in events)


def test_a_reconnecting_browser_gets_exactly_what_it_missed(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    trial_id = _trial_in_warmup(agent, coordinator, run["id"])
    agent.measure(trial_id)
    first = _watch_until(person.client, run["id"], None, 1.0)
    last_points = next(e for e in reversed(first) if e.name == "points")
    agent.send(trial_id, 6, frames=[frame(4)]).raise_for_status()
    second = _watch_until(person.client, run["id"], last_points.seq, 3.0)
    assert _waiting_connections(second) == [(2.0, 10.0), (3.0, 10.0)]


def test_a_viewer_sees_new_samples_and_state_changes_without_asking(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    trial_id = _trial_in_warmup(agent, coordinator, run["id"])
    states: set[str] = set()
    points = []
    with person.client.stream("GET", f"/runs/{run['id']}/live") as answer:
        for event in _events(answer):
            if event.name == "snapshot":
                agent.measure(trial_id)
            elif event.name == "points":
                points.append(event)
            elif event.name == "run":
                seen = {t["state"] for t in event.data["trials"] if t["id"] == trial_id} - states
                states |= seen
                if "measuring" in seen:
                    agent.end(trial_id)
                if "completed" in seen:
                    break
    assert {"measuring", "completed"} <= states
    assert [e.data.get("read_at_us") for e in points] == [T0_US + 1_000_000 * s for s in (0, 1, 2, 3)]
    assert [t for t, _ in _waiting_connections(points)] == [-1.0, 0.0, 1.0, 2.0]


def test_the_stream_of_a_finished_run_ends(backend: Backend) -> None:
    person = backend.person()
    run = person.run(backend.agent())
    person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()
    with person.client.stream("GET", f"/runs/{run['id']}/live") as answer:
        names = [event.name for event in _events(answer)]
    assert names == ["snapshot", "over"]


def test_viewers_of_a_run_are_told_that_it_was_deleted(backend: Backend) -> None:
    person = backend.person()
    path = f"/runs/{person.run(backend.agent())['id']}"
    other = backend.client()
    other.headers, other.cookies = person.client.headers, person.client.cookies
    names = []
    with person.client.stream("GET", f"{path}/live") as answer:
        for event in _events(answer):
            names.append(event.name)
            if event.name == "snapshot":
                other.post(f"{path}/cancel").raise_for_status()
            elif event.data.get("state") == "cancelled" and "deleting" not in names:
                names.append("deleting")
                other.delete(path).raise_for_status()
    assert names[-1] == "deleted"


def test_the_stream_needs_an_account_and_an_existing_run(backend: Backend) -> None:
    run = backend.person().run(backend.agent())
    assert backend.client().get(f"/runs/{run['id']}/live").status_code == 401
    nowhere = "00000000-0000-0000-0000-000000000000"
    assert backend.person().client.get(f"/runs/{nowhere}/live").status_code == 404


def test_a_viewer_is_told_what_came_before_others_knew_of_him(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    trial_id = _trial_in_warmup(agent, coordinator, run["id"])
    agent.measure(trial_id, ended=False)
    with person.client.stream("GET", f"/runs/{run['id']}/live") as answer:
        events = _events(answer)
        assert next(event for event in events if event.name == "points")
        seq = _store_unsaid(backend, run["id"], trial_id, agent)
        with Redis.from_url(backend.settings.redis_url.get_secret_value()) as anybody:
            assert anybody.publish(f"ngxlab:live:{run['id']}", f"{seq} unsaid ") == 1
        points = (point for event in events if event.name == "points" for point in event.data["points"])
        assert any(point["t_s"] == 3.0 for point in points)


def _store_unsaid(backend: Backend, run_id: str, trial_id: str, agent: Agent) -> int:
    """A frame, as another process of the backend stores it that has not heard of any viewer. Its position."""

    async def work(session: AsyncSession) -> int:
        seq = await raise_live_seq(session, UUID(run_id))
        key = {"trial_id": UUID(trial_id), "host_id": agent.host_id, "live_seq": seq}
        await session.execute(insert(FrameRow), [key | frame(4).model_dump()])
        return seq

    found: int = backend.operator(work)
    return found
