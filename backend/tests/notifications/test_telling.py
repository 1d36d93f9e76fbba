"""The end of a run reaches its owner, by a real webhook and a real e-mail; what goes wrong is shown and tried again."""

import asyncio
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from hmac import digest
from typing import Any

import httpx2
import pytest
import services
from harness import Backend, Person, english
from ngxlab.accounts.models import Role
from ngxlab.core import clock
from ngxlab.core.bus import Bus
from ngxlab.core.database import Database
from ngxlab.core.jobs.kinds import NOW, UPTIME
from ngxlab.notifications.delivery import Delivery
from ngxlab.notifications.host_watch import HostWatch
from ngxlab.outbox.models import Notification
from ngxlab.outbox.repository import claim_due, is_any_due
from notifications.conftest import Lab
from notifications.receivers import Received, hooks
from redis.asyncio import Redis
from serving import own_database, serving
from sqlalchemy import select, text


def channel(person: Person, **body: Any) -> dict[str, Any]:
    made: dict[str, Any] = person.client.post("/notifications/channels", json=body).raise_for_status().json()
    return made


def last(person: Person, channel_id: str) -> dict[str, Any]:
    found = person.client.get("/notifications").raise_for_status().json()["channels"]
    newest: dict[str, Any] | None = next(one["last"] for one in found if one["id"] == channel_id)
    return newest or {"next_attempt_at": "not yet posted"}


def settled(person: Person, channel_id: str) -> dict[str, Any]:
    """The channel's last delivery, once nothing more will be done about it."""
    services.wait_until(lambda: last(person, channel_id)["next_attempt_at"] is None, "a delivery", 60)
    return last(person, channel_id)


def finished_run(backend: Backend, person: Person) -> str:
    agent, coordinator = backend.agent(), backend.coordinator()
    run_id = str(person.run(agent)["id"])
    coordinator.lease(run_id).raise_for_status()
    while (step := coordinator.next(run_id))["kind"] == "trial":
        agent.whole_trial(coordinator, step["trial"]["trial_id"])
    return run_id


def with_database(backend: Backend, work: Callable[[Database], Any]) -> Any:
    """Work of another process of the same backend."""

    async def run() -> Any:
        url = backend.settings.redis_url.get_secret_value()
        redis = Redis.from_url(url)
        database = Database(backend.settings.database_url.get_secret_value(), Bus(redis, url))
        try:
            return await work(database)
        finally:
            await redis.aclose()
            await database.close()

    return asyncio.run(run())


def test_the_end_of_a_run_is_told_with_its_verdict(lab: Lab) -> None:
    person = lab.backend.person(Role.experimenter)
    hook = channel(person, kind="webhook", url=lab.hooks.url("/verdict"))
    mail = channel(person, kind="email")
    run_id = finished_run(lab.backend, person)
    assert settled(person, hook["id"])["error"] is None
    assert settled(person, mail["id"])["error"] is None
    [told] = lab.hooks.at("/verdict")
    run = person.client.get(f"/runs/{run_id}").json()
    told_run = told.message["data"]["run"]
    assert told.message["type"] == "run.ended"
    assert (told_run["id"], told_run["state"], told_run["headline"]) == (run_id, "completed", english(run["headline"]))
    assert told_run["headline"]
    assert told.message["data"]["url"] == f"{lab.backend.settings.public_url}/runs/{run_id}/report"
    assert told.headers["webhook-signature"] == signed(hook["secret"], told)
    [letter] = lab.mail.to(person.email)
    assert letter["Subject"] == told.message["data"]["title"] == "Run 1 of An experiment completed"
    content = letter.get_payload(decode=True).decode()
    assert english(run["headline"]) in " ".join(content.split())
    assert f"/runs/{run_id}/report" in content


def signed(secret: str, told: Received) -> str:
    """As a receiver verifies it, by the text of Standard Webhooks."""
    key = b64decode(secret.removeprefix("whsec_"))
    content = f"{told.headers['webhook-id']}.{told.headers['webhook-timestamp']}.".encode() + told.body
    return "v1," + b64encode(digest(key, content, sha256)).decode()


def test_what_was_refused_is_sent_again_with_the_same_id_and_body_and_given_up_in_the_end(lab: Lab) -> None:
    person, agent = lab.backend.person(Role.experimenter), lab.backend.agent()
    again = channel(person, kind="webhook", url=lab.hooks.url("/again"))
    never = channel(person, kind="webhook", url=lab.hooks.url("/never"))
    lab.hooks.answers |= {"/again": [503], "/never": [500] * 9}
    run = person.run(agent)
    person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()
    assert settled(person, again["id"])["delivered_at"] is not None
    first, second = lab.hooks.at("/again")
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    assert "was cancelled" in first.message["data"]["title"]
    given_up = settled(person, never["id"])
    assert (given_up["delivered_at"], given_up["error"], given_up["attempts"]) == (None, "It answered 500.", 3)
    assert len(lab.hooks.at("/never")) == 3


def test_a_test_is_sent_once_and_no_redirect_is_followed(lab: Lab) -> None:
    person = lab.backend.person(Role.experimenter)
    hook = channel(person, kind="webhook", url=lab.hooks.url("/moved"), runs=False, hosts=False)
    lab.hooks.answers["/moved"] = [302]
    path = f"/notifications/channels/{hook['id']}/test"
    assert person.client.post(path).status_code == 202
    assert person.client.post(path).status_code == 429
    outcome = settled(person, hook["id"])
    assert (outcome["kind"], outcome["attempts"]) == ("test", 1)
    assert outcome["error"] == "It answered 302 (redirects are not followed)."
    assert lab.hooks.at("/elsewhere") == []


def test_a_channel_tells_only_what_it_was_asked_to_and_only_its_owner(lab: Lab) -> None:
    person, other = lab.backend.person(Role.experimenter), lab.backend.person(Role.experimenter)
    hosts_only = channel(person, kind="webhook", url=lab.hooks.url("/hosts-only"), runs=False)
    everything = channel(person, kind="webhook", url=lab.hooks.url("/everything"))
    channel(other, kind="webhook", url=lab.hooks.url("/somebody-else"))
    run = person.run(lab.backend.agent())
    person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()
    settled(person, everything["id"])
    stored = "SELECT count(*) FROM notification WHERE channel_id = :id"
    count = lab.backend.operator(lambda session: session.scalar(text(stored), {"id": hosts_only["id"]}))
    assert count == 0
    assert lab.hooks.at("/somebody-else") == []
    foreign = f"/notifications/channels/{everything['id']}"
    answers = [other.client.request(method, foreign + end, **body) for method, end, body in FOREIGN]
    assert [answer.status_code for answer in answers] == [404] * 3


FOREIGN: list[tuple[str, str, dict[str, Any]]] = [
    ("PATCH", "", {"json": {"runs": False}}),
    ("DELETE", "", {}),
    ("POST", "/test", {}),
]


def test_a_host_that_goes_away_and_comes_back_is_told_once_each(lab: Lab) -> None:
    administrator, agent = lab.backend.person(), lab.backend.agent()
    hook = channel(administrator, kind="webhook", url=lab.hooks.url("/hosts"))
    silent = "UPDATE host SET heartbeat_at = now() - interval '10 minutes' WHERE id = :id"
    lab.backend.operator(lambda session: session.execute(text(silent), {"id": agent.host_id}))
    long_ago = datetime.now(UTC) - timedelta(hours=1)

    async def look_three_times(database: Database) -> None:
        just_started = HostWatch(database, lambda: datetime.now(UTC))
        await just_started.look()  # it has heard nobody yet, which says nothing
        for _ in range(2):
            await HostWatch(database, lambda: long_ago).look()

    with_database(lab.backend, look_three_times)

    def mine() -> list[Received]:
        return [one for one in lab.hooks.at("/hosts") if agent.name in str(one.body)]

    services.wait_until(lambda: len(mine()) >= 1, "a message that the host is away", 60)
    agent.beat().raise_for_status()
    services.wait_until(lambda: agent.beat().is_success and len(mine()) >= 2, "a message that the host is back", 60)
    settled(administrator, hook["id"])
    assert [one.message["type"] for one in mine()] == ["host.away", "host.back"]
    assert mine()[0].message["data"]["host"] == {"id": str(agent.host_id), "name": agent.name}


def test_two_processes_deliver_each_once(lab: Lab) -> None:
    person = lab.backend.person(Role.experimenter)
    made = [channel(person, kind="webhook", url=lab.hooks.url(f"/both/{number}")) for number in range(6)]
    run = person.run(lab.backend.agent())
    person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()

    async def look(database: Database) -> None:
        others = [Delivery(database, lab.backend.settings) for _ in range(2)]
        await asyncio.gather(*(one.look() for one in others))

    with_database(lab.backend, look)
    for one in made:
        settled(person, one["id"])
    assert [len(lab.hooks.at(f"/both/{number}")) for number in range(6)] == [1] * 6


def test_what_was_cut_off_is_delivered_after_a_restart(postgresql_url: str) -> None:
    port = services.free_port()
    with own_database(postgresql_url) as plain:
        settings = plain.model_copy(update={"webhook_networks": ("127.0.0.0/8",)})
        with serving(settings) as backend:
            person = backend.person(Role.experimenter)
            hook = channel(person, kind="webhook", url=f"http://127.0.0.1:{port}/late")
            run = person.run(backend.agent())
            person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()
            services.wait_until(lambda: last(person, hook["id"]).get("error") is not None, "a failed attempt", 60)
            assert last(person, hook["id"])["error"] == "It could not be reached: no connection."
        # As a process leaves it that is killed after it has taken it: the lease is over.
        cut_off = (
            "UPDATE notification SET next_attempt_at = now() - interval '1 second', due_boot = NULL, last_error = NULL"
        )
        backend.operator(lambda session: session.execute(text(cut_off)))
        with hooks(port) as received, serving(settings) as backend:
            person = Person(backend.client(), person.email, person.password)
            person.sign_in()
            assert settled(person, hook["id"])["delivered_at"] is not None
            assert len(received.at("/late")) == 1


@pytest.mark.parametrize("set_by", [timedelta(hours=1), timedelta(hours=-1)])
def test_a_clock_that_is_set_lets_no_message_go_early_or_late(postgresql_url: str, set_by: timedelta) -> None:
    """Neither the next attempt, nor one that is under way and would be made twice."""

    async def waits(database: Database) -> list[bool]:
        async with database.transaction() as session:
            account = await session.scalar(text(_SOMEBODY))
            channel_id = await session.scalar(text(_CHANNEL), {"id": account})
            told = Notification(channel_id=channel_id, kind="test", detail={}, created_at=clock.utcnow())
            told.wait(timedelta(seconds=10))
            session.add(told)
        found = []
        for later_s in (0.0, 9.0, 11.0):
            asked = {NOW.key: clock.utcnow() + set_by, UPTIME.key: clock.uptime_s() + later_s}
            async with database.transaction() as session:
                found.append(bool(await session.scalar(select(is_any_due()), asked)))
        clock.shift(round(set_by.total_seconds() * 1e6))
        try:
            async with database.transaction() as session:
                assert await claim_due(session, 8) == []
        finally:
            clock.shift(0)
        return found

    with own_database(postgresql_url) as settings:
        assert with_database(Backend("", settings), waits) == [False, False, True]


_SOMEBODY = (
    "INSERT INTO account (id, email, password_hash, role) "
    "VALUES (gen_random_uuid(), 'a@b.org', 'x', 'viewer') RETURNING id"
)
_CHANNEL = (
    "INSERT INTO notification_channel (id, account_id, kind, runs, hosts) "
    "VALUES (gen_random_uuid(), :id, 'email', true, true) RETURNING id"
)


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"kind": "webhook"}, 422, "Give the URL"),
        ({"kind": "webhook", "url": "https://10.0.0.1/x"}, 422, "not a public address"),
        ({"kind": "email", "url": "https://example.org"}, 422, "leave the URL out"),
        ({"kind": "email"}, 409, "sends no e-mail"),
    ],
)
def test_a_channel_that_cannot_work_is_refused_with_the_reason(
    backend: Backend, body: dict[str, Any], status: int, words: str
) -> None:
    person = backend.person(Role.experimenter)
    answer: httpx2.Response = person.client.post("/notifications/channels", json=body)
    assert answer.status_code == status
    assert words in answer.json()["detail"]
    assert "NGXLAB_SMTP_HOST" in person.client.get("/notifications").json()["email_off"]


def test_a_secret_is_shown_once_and_channels_are_bounded(backend: Backend) -> None:
    person = backend.person(Role.experimenter)
    body = {"kind": "webhook", "url": "https://hooks.example.org/x", "runs": False, "hosts": False}
    made = [channel(person, **body) for _ in range(10)]
    assert made[0]["secret"].startswith("whsec_")
    assert "whsec_" not in person.client.get("/notifications").text
    one_more = person.client.post("/notifications/channels", json={"kind": "webhook", "url": "https://x.example.org"})
    assert (one_more.status_code, one_more.json()["code"]) == (409, "too-many-channels")
