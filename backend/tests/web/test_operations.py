"""Every operation of the API, called by everybody: who is let in, and how the others are refused."""

from collections.abc import Callable

import httpx2
import pytest
from harness import API, Backend
from ngxlab.accounts.models import Role
from sqlalchemy import text
from web.operations import CALLERS, CONFIRMED, IN_PERSON, OF_THEIR_OWNER, call

_ROLES = ["viewer", "experimenter", "administrator"]
_LAST = {"POST /auth/logout", "DELETE /agent/host"}
"""They end the session, or void the credential, with which the others are called."""


def _person(role: Role) -> Callable[[Backend], httpx2.Client]:
    return lambda backend: backend.person(role).client


def _without_csrf(backend: Backend) -> httpx2.Client:
    client = backend.person(Role.administrator).client
    del client.headers["X-CSRF-Token"]
    return client


def _expired(backend: Backend) -> httpx2.Client:
    person = backend.person(Role.administrator)
    query = text(
        "UPDATE login_session SET expires_at = now() - interval '1 second' "
        "WHERE account_id = (SELECT id FROM account WHERE email = :email)"
    )
    backend.operator(lambda session: session.execute(query, {"email": person.email}))
    return person.client


def _token(backend: Backend, *, revoked: bool) -> httpx2.Client:
    person = backend.person(Role.administrator).client
    made = person.post("/auth/tokens", json={"name": "a script", "scope": "administer"}).raise_for_status().json()
    if revoked:
        person.delete(f"/auth/tokens/{made['id']}").raise_for_status()
    return backend.client(made["token"])


def _share(backend: Backend) -> httpx2.Client:
    person, agent = backend.person(), backend.agent()
    made = person.client.post(f"/runs/{person.run(agent)['id']}/shares", json={})
    return backend.client(made.raise_for_status().json()["url"].rpartition("/")[2])


_IDENTITIES: dict[str, Callable[[Backend], httpx2.Client]] = {
    "anyone": lambda backend: backend.client(),
    "viewer": _person(Role.viewer),
    "experimenter": _person(Role.experimenter),
    "administrator": _person(Role.administrator),
    "administrator's token": lambda backend: _token(backend, revoked=False),
    "host": lambda backend: backend.agent().client,
    "coordinator": lambda backend: backend.coordinator().client,
    "share": _share,
    "expired session": _expired,
    "revoked token": lambda backend: _token(backend, revoked=True),
    "no credential": lambda backend: backend.client("ngxt_" + "x" * 43),
    "session without CSRF": _without_csrf,
}


def _expected(identity: str, name: str) -> int | None:
    """The refusal's status, or None for who is let in."""
    caller = CALLERS[name]
    if caller in {"anyone", identity}:
        return None
    if caller not in _ROLES:
        return 401
    role = identity.partition("'")[0]
    if identity.endswith("token") and role in _ROLES and name in IN_PERSON:
        return 403
    if identity == "session without CSRF":
        return None if name.partition(" ")[0] == "GET" else 403
    if role not in _ROLES:
        return 401
    return None if _ROLES.index(role) >= _ROLES.index(caller) else 403


def _refusal(answer: httpx2.Response) -> int | None:
    if answer.status_code not in {401, 403}:
        return None
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code


def test_every_operation_is_declared_by_hand(backend: Backend) -> None:
    from ngxlab.main import create_app

    paths = create_app(backend.settings).openapi()["paths"]
    made = {
        f"{method.upper()} {path.removeprefix(API)}": operation["x-caller"]
        for path, operations in paths.items()
        for method, operation in operations.items()
        if path.startswith(API)
    }
    assert made == CALLERS


@pytest.mark.parametrize("identity", _IDENTITIES)
def test_each_operation_lets_in_whom_it_is_for(backend: Backend, identity: str) -> None:
    client = _IDENTITIES[identity](backend)
    names = sorted(CALLERS, key=lambda name: (name in _LAST, name))
    wrong = {}
    for name in names:
        answer = call(client, name)
        assert answer.status_code < 500, (name, answer.text)
        if _refusal(answer) != _expected(identity, name):
            wrong[name] = (answer.status_code, answer.text[:200])
    assert wrong == {}


def test_who_has_a_passkey_confirms_what_makes_ways_in_and_nothing_else(backend: Backend) -> None:
    person = backend.person(Role.administrator)
    backend.lost_passkey(person)
    names = sorted(CALLERS, key=lambda name: (name in _LAST, name))
    asked = {name for name in names if "passkey-confirmation" in call(person.client, name).text}
    assert asked == CONFIRMED


@pytest.fixture(scope="module")
def owned(backend: Backend) -> dict[str, str]:
    """Things of an experimenter, by the names that paths give their ids."""
    owner, agent = backend.person(Role.experimenter), backend.agent()
    run = owner.run(agent)
    share = owner.client.post(f"/runs/{run['id']}/shares", json={}).raise_for_status().json()
    trial = owner.client.get(f"/runs/{run['id']}").json()["trials"][0]
    timing = {"repeats": "daily", "time": "02:00", "zone": "UTC"}
    body = {"timing": timing, "run": {"host_id": str(agent.host_id)}}
    path = f"/experiments/{run['experiment_id']}/schedules"
    schedule = owner.client.post(path, json=body).raise_for_status().json()
    note = owner.client.post(f"/runs/{run['id']}/notes", json={"text": "seen"}).raise_for_status().json()
    ids = {"run_id": run["id"], "experiment_id": run["experiment_id"], "share_id": share["id"]}
    return ids | {"trial_id": trial["id"], "schedule_id": schedule["id"], "note_id": note["id"]}


@pytest.mark.parametrize("name", OF_THEIR_OWNER)
def test_what_somebody_owns_is_theirs(backend: Backend, owned: dict[str, str], name: str) -> None:
    answer = call(backend.person(Role.experimenter).client, name, owned)
    assert (answer.status_code, answer.json()["code"]) == (403, "not-owner")


def test_a_stranger_to_a_share_reads_nothing_else_of_the_run(backend: Backend, owned: dict[str, str]) -> None:
    stranger = backend.client()
    assert call(stranger, "GET /runs/{run_id}/report", owned).status_code == 401
    assert call(stranger, "GET /shared/{token}/trials/{trial_id}/series", owned).status_code == 404
