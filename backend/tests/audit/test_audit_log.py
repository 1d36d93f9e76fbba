"""What the audit log promises: it can be added to only, it is filtered and paged, it leaves as a file."""

import csv
import io
import json
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from backup.test_backup import server
from harness import Backend
from ngxlab.accounts.models import Role
from ngxlab.audit import seals, upkeep
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, address_class, network, record, system
from ngxlab.core.config import Settings
from serving import own_database, serving
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession


def _log(client: httpx2.Client, **query: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get("/audit", params=query).raise_for_status().json()["items"]
    return items


@pytest.fixture(scope="module")
def client(backend: Backend) -> httpx2.Client:
    return backend.person().client


@pytest.fixture
def entered(backend: Backend) -> str:
    """The name of an object with seven entries, made by an actor of the same name."""
    name = f"thing-{uuid4().hex[:8]}"

    async def work(session: AsyncSession) -> None:
        for number in range(7):
            await record(session, system(name), Act.run_started, Object("run", uuid4(), name), number=number)

    backend.operator(work)
    return name


@pytest.mark.parametrize("role", [Role.viewer, Role.experimenter])
@pytest.mark.parametrize("path", ["/audit", "/audit/export"])
def test_it_is_for_administrators(backend: Backend, role: Role, path: str) -> None:
    assert backend.person(role).client.get(path).json()["code"] == "role"


def _execute(backend: Backend, *statements: str) -> None:
    async def work(session: AsyncSession) -> None:
        for statement in statements:
            await session.execute(text(statement))

    backend.operator(work)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_entry SET actor_name = 'somebody else'",
        "DELETE FROM audit_entry",
        "TRUNCATE audit_entry CASCADE",
        "DELETE FROM audit_tally",
        "TRUNCATE audit_tally",
        "UPDATE audit_tally SET count = 0",
        "UPDATE audit_seal SET sum = 'another'",
        "DELETE FROM audit_seal",
        "TRUNCATE audit_seal",
    ],
)
def test_the_database_itself_refuses_to_change_it(backend: Backend, entered: str, statement: str) -> None:
    backend.client().post("/auth/login", json={"email": "nobody@example.org", "password": "x"})
    with pytest.raises(DBAPIError, match="can be added to only"):
        _execute(backend, "SET LOCAL ngxlab.audit_retention = 'on'", statement)


def test_retention_deletes_what_is_old_enough_and_nothing_else(backend: Backend, client: httpx2.Client) -> None:
    old, new = f"old-{uuid4().hex}", f"new-{uuid4().hex}"
    columns = "INSERT INTO audit_entry (at, actor_kind, actor_name, act, detail) VALUES"
    _execute(
        backend,
        f"{columns} (now() - interval '800 days', 'system', '{old}', 'run-started', '{{}}')",
        f"INSERT INTO audit_tally (key, entry_id, count) SELECT actor_name, id, 3 FROM audit_entry "
        f"WHERE actor_name = '{old}'",
        f"{columns} (now() - interval '700 days', 'system', '{new}', 'run-started', '{{}}')",
    )
    assert [entry["count"] for entry in _log(client, actor=old)] == [3]
    backend.operator(lambda session: upkeep.delete_expired(session, 730))
    assert _log(client, actor=old) == []
    assert len(_log(client, actor=new)) == 1


def test_what_is_rolled_back_was_never_entered(backend: Backend, client: httpx2.Client) -> None:
    name = f"undone-{uuid4().hex}"

    async def work(session: AsyncSession) -> None:
        await record(session, system(name), Act.run_started)
        raise RuntimeError("the act fails after it was entered")

    with pytest.raises(RuntimeError):
        backend.operator(work)
    assert _log(client, actor=name) == []


def test_pages_continue_where_the_last_one_ended(client: httpx2.Client, entered: str) -> None:
    seen: list[int] = []
    before: int | None = None
    while True:
        query: dict[str, str | int] = {"actor": entered, "limit": 3}
        if before is not None:
            query["start"] = before
        page = client.get("/audit", params=query).json()
        seen += [item["detail"]["number"] for item in page["items"]]
        before = page["next"]
        if before is None:
            break
    assert seen == [6, 5, 4, 3, 2, 1, 0]


def test_filters_narrow_down(client: httpx2.Client, entered: str) -> None:
    one = _log(client, actor=entered.upper())[3]
    assert len(_log(client, object=entered[2:], act="run-started")) == 7
    assert _log(client, object=one["object_id"]) == [one]
    assert _log(client, actor=entered, act="host-removed") == []
    assert len(_log(client, actor=entered, act=["host-removed", "run-started"])) == 7
    assert len(_log(client, actor=entered, since=one["at"])) == 7
    assert _log(client, actor=entered, until=one["at"]) == []
    assert _log(client, actor="%") == []


@pytest.mark.parametrize(
    "query",
    [
        {"act": "unknown"},
        {"start": 2**63},
        {"since": "yesterday"},
        {"since": "2026-01-01T00:00:00"},
        {"until": "0001-01-01T00:00:00+14:00"},
        {"actor": "\0"},
    ],
)
def test_what_cannot_be_asked_is_refused(client: httpx2.Client, query: dict[str, Any]) -> None:
    assert client.get("/audit", params=query).status_code == 422


def test_the_export_is_the_same_log_and_is_entered_itself(client: httpx2.Client, entered: str) -> None:
    shown = _log(client, actor=entered)
    as_json = client.get("/audit/export", params={"format": "json", "actor": entered})
    assert as_json.json() == shown
    assert as_json.headers["content-disposition"].endswith('.json"')
    as_csv = client.get("/audit/export", params={"actor": entered})
    rows = list(csv.DictReader(io.StringIO(as_csv.text, newline="")))
    assert [json.loads(row["detail"]) for row in rows] == [entry["detail"] for entry in shown]
    assert [row["request_id"] for row in rows] == [""] * 7
    [newest, *_] = _log(client, act="audit-exported")
    assert newest["detail"]["actor"] == entered
    assert client.get("/audit/export", params={"format": "json", "actor": uuid4().hex}).json() == []


def test_a_spreadsheet_takes_no_name_for_a_formula(backend: Backend, client: httpx2.Client) -> None:
    name = f'=HYPERLINK("https://example.org/{uuid4().hex}")'
    backend.operator(lambda session: record(session, system(name), Act.run_started))
    text_ = client.get("/audit/export", params={"actor": name}).text
    [row] = csv.DictReader(io.StringIO(text_, newline=""))
    assert row["actor_name"] == f"'{name}"


def test_failed_sign_ins_are_one_entry_a_day_and_counted(backend: Backend, client: httpx2.Client) -> None:
    person = backend.person(Role.viewer)
    for _ in range(3):
        backend.client().post("/auth/login", json={"email": person.email, "password": "guess"})
    [entry] = _log(client, object=person.email, act="sign-in-failed")
    assert (entry["actor_kind"], entry["count"]) == ("anyone", 3)
    assert entry["detail"] == {"reason": "password", "network": "127.0.0.0/24"}
    assert entry["last_at"] > entry["at"]


def test_what_leaves_through_a_share_is_counted_by_day(backend: Backend, client: httpx2.Client) -> None:
    person, agent = backend.person(), backend.agent()
    run = person.run(agent)
    share = person.client.post(f"/runs/{run['id']}/shares", json={}).json()
    token = share["url"].rpartition("/")[2]
    for _ in range(4):
        backend.client().get(f"/shared/{token}").raise_for_status()
    trial = person.client.get(f"/runs/{run['id']}").json()["trials"][0]["id"]
    backend.client().get(f"/shared/{token}/trials/{trial}/artefacts").raise_for_status()
    files, report = _log(client, object=share["id"], act="share-opened")
    assert (report["detail"], report["count"]) == ({"what": "report", "visitors": "this machine"}, 4)
    assert (files["detail"]["what"], files["count"]) == ("files", 1)
    assert token not in json.dumps([files, report])


def test_a_token_acts_under_its_name(backend: Backend, client: httpx2.Client) -> None:
    person = backend.person()
    secret = person.client.post("/auth/tokens", json={"name": "nightly", "scope": "operate"}).json()["token"]
    body = {"name": "By a script", "template_key": "reuseport", "parameters": {}}
    backend.client(secret).post("/experiments", json=body).raise_for_status()
    [entry] = _log(client, actor=person.email, act="experiment-created")
    assert entry["actor_token"] == "nightly"


def test_settings_are_entered_when_they_change_without_secrets(
    backend: Backend, client: httpx2.Client, settings: Settings
) -> None:
    changed = settings.model_copy(update={"public_url": f"https://{uuid4().hex}.example.org"})
    for one in (settings, changed, changed):  # the third is a second start with the same settings
        backend.operator(partial(upkeep.record_settings, settings=one))
    newest, before = _log(client, act="settings-changed", limit=2)
    assert newest["detail"]["changed"] == ["public_url"]
    assert newest["detail"]["settings"]["public_url"] == changed.public_url
    assert before["detail"]["settings"]["public_url"] == settings.public_url
    everything = json.dumps([newest, before])
    assert settings.coordinator_token.get_secret_value() not in everything
    assert "postgresql" not in everything


def test_a_bounded_place_for_what_comes_from_outside(backend: Backend, client: httpx2.Client) -> None:
    name = f"long-{uuid4().hex}"
    detail = {"text": "x" * 10_000, "many": list(range(1000)), "nul": "a\0b"}
    backend.operator(lambda session: record(session, system(name + "y" * 1000), Act.run_started, **detail))
    [entry] = _log(client, actor=name)
    assert len(entry["actor_name"]) == len(entry["detail"]["text"]) == 300
    assert len(entry["detail"]["many"]) == 100
    assert entry["detail"]["nul"] == "a\ufffdb"


def test_each_answer_carries_the_id_that_the_log_has(backend: Backend, client: httpx2.Client) -> None:
    answer = client.post("/hosts/enrolment-tokens", json={})
    [entry, *_] = _log(client, act="enrolment-token-created", limit=1)
    assert answer.headers["x-request-id"] == entry["request_id"]


@pytest.mark.parametrize(
    ("address", "kind", "net"),
    [
        ("127.0.0.1", "this machine", "127.0.0.0/24"),
        ("192.168.3.4", "private network", "192.168.3.0/24"),
        ("fe80::1", "private network", "fe80::/48"),
        ("8.8.8.8", "internet", "8.8.8.0/24"),
        ("2606:4700:1:2::3", "internet", "2606:4700:1::/48"),
        (None, "unknown", "unknown"),
        ("a proxy", "unknown", "unknown"),
    ],
)
def test_addresses_in_classes(address: str | None, kind: str, net: str) -> None:
    assert (address_class(address), network(address)) == (kind, net)


def _as_owner(backend: Backend, *statements: str) -> None:
    """What no trigger refuses: whoever owns the database can switch them off."""

    async def work(session: AsyncSession) -> None:
        for how in ("DISABLE", "ENABLE"):
            for table in ("audit_entry", "audit_seal"):
                await session.execute(text(f"ALTER TABLE {table} {how} TRIGGER USER"))
            for statement in statements if how == "DISABLE" else ():
                await session.execute(text(statement))

    backend.operator(work)


def _an_hour_later(backend: Backend) -> None:
    _as_owner(
        backend,
        "UPDATE audit_entry SET at = at - interval '1 hour'",
        "UPDATE audit_seal SET sealed_at = sealed_at - interval '1 hour'",
    )


_TAMPERING = {
    "UPDATE audit_entry SET actor_name = 'somebody else' WHERE id = {id}": "an entry, or an earlier seal, was changed",
    "UPDATE audit_entry SET at = at - interval '1 day' WHERE id = {id}": "an entry, or an earlier seal, was changed",
    "DELETE FROM audit_entry WHERE id = {id}": "1 fewer",
}


def test_what_is_changed_after_its_seal_does_not_fit(postgresql_url: str) -> None:
    async def enter(session: AsyncSession) -> int:
        entry = await record(session, system("test"), Act.run_started, Object("run", uuid4(), "a run"))
        return entry.id

    with own_database(postgresql_url) as settings, serving(settings) as backend:
        keep = timedelta(days=settings.audit_days)
        for known_before, (tampering, told) in enumerate(_TAMPERING.items()):
            entered = backend.operator(enter)
            _an_hour_later(backend)
            backend.operator(seals.seal)
            sound = backend.operator(lambda session: seals.check(session, keep))
            assert len(sound.wrong) == known_before
            assert backend.operator(seals.seal) is None
            _as_owner(backend, tampering.format(id=entered))
            changed = backend.operator(lambda session: seals.check(session, keep))
            assert told in changed.wrong[-1]
            assert (len(changed.wrong), changed.head) == (known_before + 1, sound.head)


def test_an_entry_of_a_later_transaction_with_a_lower_id_is_sealed_with_its_neighbours(postgresql_url: str) -> None:
    columns = "INSERT INTO audit_entry (at, actor_kind, actor_name, act, detail) VALUES"
    with own_database(postgresql_url) as settings, serving(settings) as backend:
        keep = timedelta(days=settings.audit_days)
        for at in ("now()", "now() - interval '1 hour'"):
            _execute(backend, f"{columns} ({at}, 'system', 'a', 'run-started', '{{}}')")
        sealed = backend.operator(seals.seal)
        assert sealed is not None
        assert sealed.count >= 2
        assert backend.operator(lambda session: seals.check(session, keep)).wrong == []


def test_an_entry_with_an_earlier_time_is_told(postgresql_url: str) -> None:
    """Whoever may only add to the log cannot add to what is over."""
    columns = "INSERT INTO audit_entry (at, actor_kind, actor_name, act, detail) VALUES"
    with own_database(postgresql_url) as settings, serving(settings) as backend:
        keep = timedelta(days=settings.audit_days)
        _execute(backend, f"{columns} (now() - interval '1 hour', 'system', 'a', 'run-started', '{{}}')")
        backend.operator(seals.seal)
        _execute(backend, f"{columns} (now() - interval '50 minutes', 'system', 'b', 'run-started', '{{}}')")
        backend.operator(seals.seal)
        (told,) = backend.operator(lambda session: seals.check(session, keep)).wrong
        assert "times of before the seal before it in 1 of its entries" in told


def test_the_command_that_checks_the_log_ends_with_1_where_a_seal_does_not_fit(postgresql_url: str) -> None:
    """And says what its newest seal is, to be compared with the log of the service jobs."""
    columns = "INSERT INTO audit_entry (at, actor_kind, actor_name, act, detail) VALUES"
    with own_database(postgresql_url) as settings, serving(settings) as backend:
        _execute(backend, f"{columns} (now() - interval '1 hour', 'system', 'a', 'run-started', '{{}}')")
        backend.operator(seals.seal)
        head = backend.operator(lambda session: seals.check(session, timedelta(days=settings.audit_days))).head
        sound = server(settings, "audit-check")
        assert (sound.returncode, f"The newest: {head}" in sound.stdout) == (0, True), sound
        _as_owner(backend, "UPDATE audit_entry SET actor_name = 'somebody else' WHERE act = 'run-started'")
        changed = server(settings, "audit-check")
        assert changed.returncode == 1
        assert "an entry, or an earlier seal, was changed" in changed.stdout
        assert "1 do not fit." in changed.stdout
