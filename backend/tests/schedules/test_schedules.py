"""Runs that start by themselves: once for each time, as their owner, or not at all with the reason."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
import services
from harness import Backend
from ngxlab.accounts.models import Role
from schedules.scheduled import DAILY, schedule
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession


def test_a_time_starts_one_run_however_many_processes_look(backend: Backend) -> None:
    made = schedule(backend)
    assert (made.now()["state"], made.now()["text"]) == ("active", f"every day at {DAILY['time']}, Europe/Berlin")
    made.due(timedelta(minutes=30))
    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(made.settle) for _ in range(3)]:
            done.result()
    [started] = made.now()["latest"]
    runs = made.person.client.get("/runs", params={"experiment_id": made.experiment_id}).json()
    assert (started["outcome"], started["run_number"], runs["total"]) == ("started", 1, 1)
    [run] = runs["items"]
    assert (run["created_by"], run["note"]) == (
        made.person.email,
        f"Scheduled every day at {DAILY['time']}, Europe/Berlin",
    )
    assert datetime.fromisoformat(made.now()["next_at"]) > datetime.now(UTC)


def test_a_time_is_skipped_while_the_run_before_goes_on(backend: Backend) -> None:
    made = schedule(backend)
    made.due(timedelta(minutes=1))
    made.settle()
    made.due(timedelta(seconds=1))
    skipped, started = made.settle(2)
    assert (started["outcome"], skipped["outcome"]) == ("started", "skipped")
    assert skipped["reason"] == "Run 1, the one before, was still queued."


def test_a_time_that_is_over_for_an_hour_is_recorded_as_missed(backend: Backend) -> None:
    made = schedule(backend, timing=DAILY | {"zone": "UTC", "time": f"{datetime.now(UTC) - timedelta(hours=2):%H:%M}"})
    made.due(timedelta(hours=26))
    missed = made.settle(2)
    assert [one["outcome"] for one in missed] == ["missed", "missed"]
    assert "more than an hour" in missed[0]["reason"]
    assert made.person.client.get("/runs", params={"experiment_id": made.experiment_id}).json()["total"] == 0


def test_many_missed_times_are_one_message(backend: Backend) -> None:
    made = schedule(backend)
    body = {"kind": "webhook", "url": "https://x.example.org"}
    channel = made.person.client.post("/notifications/channels", json=body).raise_for_status().json()["id"]
    made.due(timedelta(days=6))
    assert {one["outcome"] for one in made.settle(6)} == {"missed"}
    query = text("SELECT detail->>'reason' FROM notification WHERE channel_id = :id")
    query = query.bindparams(id=UUID(channel))

    async def told(session: AsyncSession) -> list[str]:
        return list(await session.scalars(query))

    [reason] = backend.operator(told)
    assert "later times, until" in reason


def test_a_time_that_has_its_outcome_holds_nobody_up(backend: Backend) -> None:
    made = schedule(backend)
    made.due(timedelta(minutes=30))
    [started] = made.settle()
    assert started["outcome"] == "started"
    made.sql("UPDATE schedule SET next_at = :at WHERE id = :id", at=datetime.fromisoformat(started["due_at"]))
    other = schedule(backend)
    other.due(timedelta(minutes=1))
    assert [one["outcome"] for one in other.settle()] == ["started"]
    services.wait_until(lambda: datetime.fromisoformat(made.now()["next_at"]) > datetime.now(UTC), "its next time", 60)
    assert len(made.now()["latest"]) == 1


_OWNER = "(SELECT created_by FROM schedule WHERE id = :id)"
_EXPERIMENT = "(SELECT experiment_id FROM schedule WHERE id = :id)"


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (f"UPDATE account SET role = 'viewer' WHERE id = {_OWNER}", "may not start runs"),
        (f"UPDATE experiment SET archived_at = now() WHERE id = {_EXPERIMENT}", "is archived"),
    ],
)
def test_it_has_the_rights_of_its_owner_at_that_moment_and_pauses_without(
    backend: Backend, query: str, reason: str
) -> None:
    made = schedule(backend)
    made.sql(query)
    made.person = backend.person(Role.viewer)
    made.due(timedelta(minutes=1))
    [refused] = made.settle()
    assert refused["outcome"] == "refused"
    assert reason in refused["reason"]
    now = made.now()
    assert (now["state"], now["pause_reason"], now["next_at"]) == ("paused", refused["reason"], None)


def test_it_pauses_at_once_where_its_owner_is_disabled(backend: Backend) -> None:
    made = schedule(backend)
    made.person = backend.person(Role.viewer)
    made.sql(f"UPDATE account SET disabled_at = now() WHERE id = {_OWNER}")
    services.wait_until(lambda: made.now()["state"] == "paused", "its pause", 60)
    assert "may not start runs any more" in made.now()["pause_reason"]
    assert made.now()["latest"] == []


def test_one_whose_time_cannot_be_stored_pauses_and_keeps_no_other_waiting(backend: Backend) -> None:
    broken, other = schedule(backend), schedule(backend)
    broken.sql("UPDATE schedule SET started = 2147483647 WHERE id = :id")  # no number of runs is greater
    broken.due(timedelta(minutes=30))
    other.due(timedelta(minutes=1))
    assert [one["outcome"] for one in other.settle()] == ["started"]
    services.wait_until(lambda: broken.now()["state"] == "paused", "its pause", 60)
    assert "could not be stored" in broken.now()["pause_reason"]


def test_a_start_that_is_refused_says_why_and_the_next_is_tried(backend: Backend) -> None:
    made = schedule(backend)
    made.sql("UPDATE host SET draining = true WHERE id = :host", host=made.agent.host_id)
    made.due(timedelta(minutes=1))
    [refused] = made.settle()
    assert refused["reason"] == f"{made.agent.name} is draining and accepts no new run."
    assert made.now()["state"] == "active"


def test_it_ends_after_so_many_runs_and_a_single_time_after_itself(backend: Backend) -> None:
    made = schedule(backend, most_runs=1)
    made.due(timedelta(minutes=1))
    made.settle()
    assert (made.now()["state"], made.now()["started"]) == ("ended", 1)
    resumed = made.person.client.patch(f"/schedules/{made.id}", json={"paused": True})
    assert (resumed.status_code, resumed.json()["code"]) == (409, "schedule-ended")
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    once = schedule(backend, timing={"repeats": "once", "time": "12:00", "zone": "UTC", "on": f"{tomorrow:%Y-%m-%d}"})
    moved = "UPDATE schedule SET timing = timing || CAST(:moved AS jsonb) WHERE id = :id"
    once.sql(moved, moved='{"on": "2020-01-01"}')
    once.due(timedelta(minutes=1))
    once.settle()
    assert (once.now()["state"], once.now()["started"]) == ("ended", 1)


def test_it_is_paused_resumed_and_removed_by_its_owner(backend: Backend) -> None:
    made = schedule(backend)
    path = f"/schedules/{made.id}"
    paused = made.person.client.patch(path, json={"paused": True}).json()
    assert (paused["state"], paused["next_at"], paused["may_change"]) == ("paused", None, True)
    resumed = made.person.client.patch(path, json={"paused": False}).json()
    assert resumed["state"] == "active"
    assert resumed["next_at"] is not None
    assert made.person.client.delete(path).status_code == 204
    assert made.person.client.get("/schedules", params={"experiment_id": made.experiment_id}).json()["items"] == []


def test_what_could_never_run_is_refused_at_once(backend: Backend) -> None:
    made = schedule(backend)
    path = f"/experiments/{made.experiment_id}/schedules"
    host = {"host_id": str(made.agent.host_id)}

    def problems(**fields: Any) -> list[str]:
        body = {"timing": DAILY, "run": host, **fields}
        answer = made.person.client.post(path, json=body)
        assert answer.status_code == 422
        return [problem["field"] for problem in answer.json()["errors"]]

    assert problems(timing={"repeats": "once", "time": "12:00", "zone": "UTC", "on": "2020-01-01"}) == ["timing"]
    assert problems(last_day="2020-01-01") == ["timing"]
    assert all(field.startswith("hosts.") for field in problems(run={}))
    assert problems(run=host | {"seed": 1}) == ["run.seed"]
    bounded = [made.person.client.post(path, json={"timing": DAILY, "run": host}).status_code for _ in range(20)]
    assert bounded == [201] * 19 + [409]


def test_one_that_cannot_be_read_pauses_keeps_no_other_waiting_and_can_be_removed(backend: Backend) -> None:
    broken, sound = schedule(backend), schedule(backend)
    broken.sql("""UPDATE schedule SET timing = '{"repeats": "never"}' WHERE id = :id""")
    broken.due(timedelta(minutes=40))
    sound.due(timedelta(minutes=30))
    assert sound.settle()[0]["outcome"] == "started"
    assert broken.settle()[0]["outcome"] == "refused"
    assert (broken.now()["state"], broken.now()["timing"]) == ("paused", None)
    assert "cannot be read" in broken.now()["text"]
    broken.person.client.delete(f"/schedules/{broken.id}").raise_for_status()
