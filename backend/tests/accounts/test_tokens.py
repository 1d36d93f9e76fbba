"""Personal API tokens: a scope, an end, and no children."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
from harness import Backend, Person
from ngxlab.accounts.models import Role


def _make(person: Person, scope: str, **more: Any) -> dict[str, Any]:
    body = {"name": "ci", "scope": scope, **more}
    made: dict[str, Any] = person.client.post("/auth/tokens", json=body).raise_for_status().json()
    return made


def test_a_token_acts_for_its_owner_until_revoked(backend: Backend) -> None:
    person = backend.person(Role.experimenter)
    made = _make(person, "operate")
    script = backend.client(made["token"])
    me = script.get("/auth/me").json()
    assert (me["account"]["email"], me["csrf_token"], me["token"]["scope"]) == (person.email, "", "operate")
    assert script.post("/experiments", json={"name": "by script", "template_key": "reuseport"}).status_code == 201
    [listed] = person.client.get("/auth/tokens").json()["items"]
    assert listed["last_used_at"] is not None
    assert made["token"] not in str(listed)
    assert person.client.delete(f"/auth/tokens/{made['id']}").status_code == 204
    assert script.get("/auth/me").json()["code"] == "bad-token"


def _attempts(client: httpx2.Client) -> list[int]:
    """Reading; making an experiment; making an enrolment token."""
    experiment = {"name": "by script", "template_key": "reuseport"}
    return [
        client.get("/experiments").status_code,
        client.post("/experiments", json=experiment).status_code,
        client.post("/hosts/enrolment-tokens", json={}).status_code,
    ]


@pytest.mark.parametrize(
    ("scope", "answers"),
    [("read", [200, 403, 403]), ("operate", [200, 201, 403]), ("administer", [200, 201, 201])],
)
def test_a_token_may_no_more_than_its_scope(backend: Backend, scope: str, answers: list[int]) -> None:
    script = backend.client(_make(backend.person(Role.administrator), scope)["token"])
    assert _attempts(script) == answers


def test_a_refusal_names_the_scope_that_is_needed(backend: Backend) -> None:
    script = backend.client(_make(backend.person(), "read")["token"])
    answer = script.post("/hosts/enrolment-tokens", json={})
    assert answer.json()["code"] == "scope"
    assert answer.json()["detail"] == "This needs a token with the scope administer; this one's is read."


def test_an_administrators_token_for_operating_is_no_administrator(backend: Backend) -> None:
    owner, administrator = backend.person(Role.experimenter), backend.person()
    experiment = owner.experiment()
    body = {"name": "renamed"}
    operating = backend.client(_make(administrator, "operate")["token"])
    assert operating.patch(f"/experiments/{experiment['id']}", json=body).json()["code"] == "not-owner"
    assert operating.get(f"/experiments/{experiment['id']}").json()["may_edit"] is False
    administering = backend.client(_make(administrator, "administer")["token"])
    assert administering.patch(f"/experiments/{experiment['id']}", json=body).status_code == 200


def test_nobody_makes_a_token_beyond_their_role(backend: Backend) -> None:
    viewer = backend.person(Role.viewer)
    answer = viewer.client.post("/auth/tokens", json={"name": "ci", "scope": "operate"})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "scope")
    assert viewer.client.post("/auth/tokens", json={"name": "ci", "scope": "read"}).status_code == 201


def test_every_token_has_an_end(backend: Backend) -> None:
    person = backend.person()
    usual = datetime.fromisoformat(_make(person, "read")["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=29) < usual <= timedelta(days=30)
    longest = datetime.fromisoformat(_make(person, "read", expires_in_days=365)["expires_at"]) - datetime.now(UTC)
    assert longest <= timedelta(days=365)
    for days in (366, 0, None):
        body = {"name": "ci", "scope": "read", "expires_in_days": days}
        assert person.client.post("/auth/tokens", json=body).status_code == 422


def test_no_token_makes_a_way_in_that_outlives_it(backend: Backend) -> None:
    administrator, other = backend.person(), backend.person(Role.viewer)
    made = _make(administrator, "administer")
    script = backend.client(made["token"])
    account = f"/accounts/{other.client.get('/auth/me').json()['account']['id']}"
    password = {"current_password": administrator.password, "new_password": "a new and longer one"}
    refused = [
        script.post("/auth/tokens", json={"name": "child", "scope": "read"}),
        script.delete("/auth/tokens"),
        script.delete(f"/auth/tokens/{made['id']}"),
        script.get("/auth/sessions"),
        script.delete("/auth/sessions"),
        script.post("/auth/password", json=password),
        script.post("/accounts", json={"email": "child@example.org", "role": "administrator"}),
        script.patch(account, json={"role": "administrator"}),
        script.post(f"{account}/one-time-password"),
        script.delete(f"{account}/sessions"),
        script.delete(f"{account}/tokens"),
    ]
    assert {(answer.status_code, answer.json()["code"]) for answer in refused} == {(403, "in-person")}
    assert script.get("/accounts").status_code == 200


def test_all_tokens_can_be_revoked_at_once(backend: Backend) -> None:
    person, other = backend.person(), backend.person()
    secrets = [_make(person, "read")["token"] for _ in range(2)]
    kept = backend.client(_make(other, "read")["token"])
    assert person.client.delete("/auth/tokens").status_code == 204
    assert [backend.client(secret).get("/auth/me").status_code for secret in secrets] == [401, 401]
    assert kept.get("/auth/me").status_code == 200


def test_nobody_revokes_somebody_elses_token(backend: Backend) -> None:
    made = _make(backend.person(), "read")
    assert backend.person(Role.viewer).client.delete(f"/auth/tokens/{made['id']}").status_code == 404
    assert backend.client(made["token"]).get("/auth/me").status_code == 200
