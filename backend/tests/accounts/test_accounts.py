"""Signing in, passwords, tokens."""

from harness import Backend
from ngxlab.accounts.models import Role


def test_the_session_cookie_cannot_be_read_by_scripts(backend: Backend) -> None:
    person = backend.person()
    answer = backend.client().post("/auth/login", json={"email": person.email, "password": person.password})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie


def test_a_wrong_password_and_an_unknown_account_look_alike(backend: Backend) -> None:
    person = backend.person()
    wrong = backend.client().post("/auth/login", json={"email": person.email, "password": "wrong"})
    unknown = backend.client().post("/auth/login", json={"email": "nobody@example.org", "password": "wrong"})
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json() == unknown.json()


def test_guessing_is_throttled(backend: Backend) -> None:
    person = backend.person()
    client = backend.client()
    body = {"email": person.email, "password": "wrong"}
    statuses = [client.post("/auth/login", json=body).status_code for _ in range(11)]
    assert statuses == [401] * 10 + [429]
    right = client.post("/auth/login", json={"email": person.email, "password": person.password})
    assert right.status_code == 429


def test_signing_out_ends_the_session(backend: Backend) -> None:
    person = backend.person()
    cookie = person.client.cookies["ngxlab_session"]
    assert person.client.post("/auth/logout").status_code == 204
    thief = backend.client()
    thief.cookies.set("ngxlab_session", cookie)
    assert thief.get("/auth/me").status_code == 401


def test_a_new_password_ends_the_other_sessions(backend: Backend) -> None:
    person = backend.person()
    other = backend.client()
    other.post("/auth/login", json={"email": person.email, "password": person.password}).raise_for_status()
    body = {"current_password": person.password, "new_password": "a new and longer one"}
    assert person.client.post("/auth/password", json=body).status_code == 204
    assert person.client.get("/auth/me").status_code == 200
    assert other.get("/auth/me").status_code == 401


def test_the_wrong_current_password_is_named_at_its_field(backend: Backend) -> None:
    body = {"current_password": "not it", "new_password": "a new and longer one"}
    answer = backend.person().client.post("/auth/password", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "current_password"


def test_an_api_token_acts_for_its_owner_until_revoked(backend: Backend) -> None:
    person = backend.person(Role.experimenter)
    made = person.client.post("/auth/tokens", json={"name": "ci"}).json()
    script = backend.client(made["token"])
    assert script.get("/auth/me").json()["account"]["email"] == person.email
    assert script.post("/experiments", json={"name": "by script", "template_key": "reuseport"}).status_code == 201
    assert made["token"] not in person.client.get("/auth/tokens").text
    assert person.client.delete(f"/auth/tokens/{made['id']}").status_code == 204
    assert script.get("/auth/me").json()["code"] == "bad-token"


def test_disabling_an_account_shuts_all_its_doors(backend: Backend) -> None:
    administrator, person = backend.person(), backend.person(Role.experimenter)
    token = person.client.post("/auth/tokens", json={"name": "ci"}).json()["token"]
    account_id = person.client.get("/auth/me").json()["account"]["id"]
    assert administrator.client.patch(f"/accounts/{account_id}", json={"disabled": True}).status_code == 200
    assert person.client.get("/auth/me").status_code == 401
    assert backend.client(token).get("/auth/me").status_code == 401


def test_a_made_password_is_shown_once_and_works(backend: Backend) -> None:
    administrator = backend.person()
    body = {"email": "New.Person@Example.org", "role": "viewer"}
    made = administrator.client.post("/accounts", json=body).json()
    login = {"email": "new.person@example.org", "password": made["password"]}
    assert backend.client().post("/auth/login", json=login).status_code == 200
    again = administrator.client.post("/accounts", json=body)
    assert (again.status_code, again.json()["errors"][0]["field"]) == (409, "email")


def test_a_body_beyond_all_reason_is_refused(backend: Backend) -> None:
    body = {"email": "a@example.org", "password": "x" * (3 << 20)}
    assert backend.client().post("/auth/login", json=body).status_code == 413
