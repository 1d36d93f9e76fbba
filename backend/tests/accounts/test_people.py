"""What administrators do with accounts, and people with their own sessions."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from harness import Backend, Person
from ngxlab.accounts.models import Account, Role
from ngxlab.core.clock import utcnow
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession


def _path(person: Person) -> str:
    return f"/accounts/{person.client.get('/auth/me').json()['account']['id']}"


def _token(backend: Backend, person: Person) -> httpx2.Client:
    made = person.client.post("/auth/tokens", json={"name": "ci", "scope": "read"}).raise_for_status().json()
    return backend.client(made["token"])


def _in(client: httpx2.Client) -> bool:
    status = client.get("/auth/me").status_code
    assert status in {200, 401}
    return status == 200


def _enter(client: httpx2.Client, email: str, password: str) -> httpx2.Response:
    answer = client.post("/auth/login", json={"email": email, "password": password})
    if answer.status_code == 200:
        client.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
    return answer


def test_no_e_mail_address_looks_like_another(backend: Backend) -> None:
    """Letters of other scripts are written as name servers have them."""
    administrator, name = backend.person(), f"new-{uuid4().hex[:8]}"
    typed, stored = f"{name}@ex\u0430mple.org", f"{name}@xn--exmple-4nf.org"  # a Cyrillic a
    made = administrator.client.post("/accounts", json={"email": typed, "role": "viewer"}).raise_for_status().json()
    assert made["account"]["email"] == stored
    again = administrator.client.post("/accounts", json={"email": stored, "role": "viewer"})
    assert again.json()["code"] == "email-taken"
    assert [_enter(backend.client(), email, made["password"]).status_code for email in (typed, stored)] == [200, 200]


def test_an_account_with_a_domain_in_other_letters_is_still_found(backend: Backend) -> None:
    """As earlier versions stored it."""
    person = backend.person(Role.viewer)
    before = f"{uuid4().hex[:8]}@b\u00fccher.example"
    backend.operator(
        lambda session: session.execute(update(Account).where(Account.email == person.email).values(email=before))
    )
    assert _enter(backend.client(), before, person.password).status_code == 200


def test_a_one_time_password_opens_nothing_but_its_replacement(backend: Backend) -> None:
    administrator, client = backend.person(), backend.client()
    email = f"new-{uuid4().hex[:8]}@example.org"
    made = administrator.client.post("/accounts", json={"email": email.upper(), "role": "experimenter"}).json()
    entered = _enter(client, email, made["password"]).json()
    assert entered["account"]["must_change_password"] is True
    assert client.get("/auth/me").status_code == 200
    for refused in (
        client.get("/experiments"),
        client.get("/auth/sessions"),
        client.post("/auth/tokens", json={"name": "ci", "scope": "read"}),
        client.get(f"/runs/{uuid4()}/live"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (403, "password-change-required")
    body = {"current_password": made["password"], "new_password": "a new and longer one"}
    changed = client.post("/auth/password", json=body).raise_for_status().json()
    assert changed["account"]["must_change_password"] is False
    assert client.get("/experiments").status_code == 200
    assert _enter(backend.client(), email, made["password"]).status_code == 401
    again = administrator.client.post("/accounts", json={"email": email, "role": "viewer"})
    assert (again.status_code, again.json()["errors"][0]["field"]) == (409, "email")


def test_who_stores_much_can_still_be_disabled(backend: Backend) -> None:
    """As an import does, which refers to the account of its person, for as long as it takes."""
    administrator, importer = backend.person(), backend.person()
    path = _path(importer)

    def act() -> list[int]:
        entered = _enter(backend.client(), importer.email, importer.password)
        demoted = administrator.client.patch(path, json={"role": "viewer"})
        disabled = administrator.client.patch(path, json={"disabled": True})
        return [answer.status_code for answer in (entered, demoted, disabled)]

    async def meanwhile(session: AsyncSession) -> list[int]:
        await session.execute(select(Account.id).with_for_update(read=True, key_share=True))
        return await asyncio.to_thread(act)

    assert backend.operator(meanwhile) == [200, 200, 200]


def test_one_address_gets_one_account_however_often_it_is_asked_for(backend: Backend) -> None:
    administrators, email = [backend.person() for _ in range(4)], f"twice-{uuid4().hex[:8]}@example.org"
    body = {"email": email, "role": "viewer"}
    with ThreadPoolExecutor(4) as together:
        answers = list(together.map(lambda one: one.client.post("/accounts", json=body).status_code, administrators))
    assert sorted(answers) == [201, 409, 409, 409]


def test_a_one_time_password_lasts_for_days_only(backend: Backend) -> None:
    administrator, person = backend.person(), backend.person(Role.viewer)
    made = administrator.client.post(f"{_path(person)}/one-time-password").json()
    outlived = update(Account).where(Account.email == person.email).values(one_time_password_until=utcnow())
    backend.operator(lambda session: session.execute(outlived))
    answer = _enter(backend.client(), person.email, made["password"])
    assert (answer.status_code, answer.json()["code"]) == (401, "one-time-password-expired")


def test_resetting_a_password_shuts_every_door_of_the_account(backend: Backend) -> None:
    administrator, person = backend.person(), backend.person(Role.experimenter)
    path, token = _path(person), _token(backend, person)
    made = administrator.client.post(f"{path}/one-time-password").raise_for_status().json()
    assert (_in(person.client), _in(token)) == (False, False)
    assert _enter(backend.client(), person.email, person.password).status_code == 401
    assert _enter(backend.client(), person.email, made["password"]).status_code == 200


def test_administrators_reset_their_own_password_elsewhere(backend: Backend) -> None:
    administrator = backend.person()
    assert administrator.client.post(f"{_path(administrator)}/one-time-password").json()["code"] == "own-account"


@pytest.mark.parametrize("change", [{"role": "viewer"}, {"role": "administrator"}, {"disabled": True}])
def test_a_new_role_and_a_disabled_account_end_sessions_and_tokens(backend: Backend, change: dict[str, Any]) -> None:
    administrator, person = backend.person(), backend.person(Role.experimenter)
    path, token = _path(person), _token(backend, person)
    assert administrator.client.patch(path, json={"role": "experimenter"}).status_code == 200  # no change
    assert (_in(person.client), _in(token)) == (True, True)
    assert administrator.client.patch(path, json=change).status_code == 200
    assert (_in(person.client), _in(token)) == (False, False)


def test_an_enabled_account_comes_back_without_its_old_ways_in(backend: Backend) -> None:
    administrator, person = backend.person(), backend.person(Role.viewer)
    path, token = _path(person), _token(backend, person)
    administrator.client.patch(path, json={"disabled": True}).raise_for_status()
    assert _enter(backend.client(), person.email, person.password).json()["code"] == "wrong-credentials"
    administrator.client.patch(path, json={"disabled": False}).raise_for_status()
    assert (_in(person.client), _in(token)) == (False, False)
    person.sign_in()


def test_somebodys_sessions_and_tokens_are_listed_and_ended(backend: Backend) -> None:
    administrator, person = backend.person(), backend.person(Role.viewer)
    path = _path(person)
    phone = backend.client()
    phone.headers["User-Agent"] = "Phone/1.0"
    _enter(phone, person.email, person.password)
    tokens = [_token(backend, person) for _ in range(2)]
    listed = administrator.client.get(f"{path}/sessions").json()["items"]
    assert {session["user_agent"] for session in listed} == {"Phone/1.0", person.client.headers["User-Agent"]}
    assert {(session["address"], session["is_current"]) for session in listed} == {("127.0.0.1", False)}
    [of_phone] = [session["id"] for session in listed if session["user_agent"] == "Phone/1.0"]
    assert administrator.client.delete(f"{path}/sessions/{of_phone}").status_code == 204
    assert (_in(phone), _in(person.client)) == (False, True)
    assert administrator.client.delete(f"{path}/sessions/{of_phone}").status_code == 404
    assert administrator.client.delete(f"{path}/sessions").status_code == 204
    assert not _in(person.client)

    first = administrator.client.get(f"{path}/tokens").json()["items"][0]["id"]
    assert administrator.client.delete(f"{path}/tokens/{first}").status_code == 204
    assert [_in(token) for token in tokens] == [False, True]
    assert administrator.client.delete(f"{path}/tokens").status_code == 204
    assert not _in(tokens[1])
    assert _in(administrator.client)


def test_people_see_and_end_their_own_sessions(backend: Backend) -> None:
    person, other = backend.person(Role.viewer), backend.person(Role.viewer)
    elsewhere = [backend.client() for _ in range(2)]
    for client in elsewhere:
        _enter(client, person.email, person.password)
    listed = person.client.get("/auth/sessions").json()["items"]
    assert sorted(session["is_current"] for session in listed) == [False, False, True]
    one = next(session["id"] for session in elsewhere[0].get("/auth/sessions").json()["items"] if session["is_current"])
    assert other.client.delete(f"/auth/sessions/{one}").status_code == 404
    assert person.client.delete(f"/auth/sessions/{one}").status_code == 204
    assert [_in(client) for client in elsewhere] == [False, True]
    assert person.client.delete("/auth/sessions").status_code == 204
    assert [_in(elsewhere[1]), _in(person.client)] == [False, True]


@pytest.mark.parametrize("change", [{"role": "viewer"}, {"disabled": True}])
def test_two_administrators_cannot_remove_each_other_at_once(empty_lab: Backend, change: dict[str, Any]) -> None:
    people = [empty_lab.person(), empty_lab.person()]
    paths = [_path(person) for person in reversed(people)]
    with ThreadPoolExecutor(2) as both:
        answers = list(both.map(lambda who, path: who.client.patch(path, json=change), people, paths))
    assert [_in(person.client) for person in people].count(True) == 1
    assert all(answer.status_code < 500 for answer in answers)


def test_the_last_administrator_stays(empty_lab: Backend) -> None:
    last, other = empty_lab.person(), empty_lab.person()
    path, disabled = _path(last), {"disabled": True}
    last.client.patch(_path(other), json=disabled).raise_for_status()
    for change in ({"role": "viewer"}, disabled, {"role": "administrator", "disabled": True}):
        answer = last.client.patch(path, json=change)
        assert (answer.status_code, answer.json()["code"]) == (409, "last-administrator")
    assert _in(last.client)
