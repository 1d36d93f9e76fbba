"""Signing in, passwords, tokens."""

from harness import Backend


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


def test_signing_out_ends_the_session(backend: Backend) -> None:
    person = backend.person()
    cookie = person.client.cookies["ngxlab_session"]
    assert person.client.post("/auth/logout").status_code == 204
    thief = backend.client()
    thief.cookies.set("ngxlab_session", cookie)
    assert thief.get("/auth/me").status_code == 401


def test_a_new_password_ends_every_way_in_but_this_browsers(backend: Backend) -> None:
    person = backend.person()
    stolen = backend.client()
    stolen.cookies.set("ngxlab_session", person.client.cookies["ngxlab_session"])
    other = backend.client()
    other.post("/auth/login", json={"email": person.email, "password": person.password}).raise_for_status()
    token = person.client.post("/auth/tokens", json={"name": "ci", "scope": "read"}).json()["token"]
    body = {"current_password": person.password, "new_password": "a new and longer one"}
    changed = person.client.post("/auth/password", json=body).raise_for_status().json()
    assert person.client.get("/auth/me").json()["csrf_token"] == changed["csrf_token"]
    assert person.client.get("/auth/tokens").json()["items"] == []
    for shut in (other, stolen, backend.client(token)):
        assert shut.get("/auth/me").status_code == 401
    old = {"email": person.email, "password": person.password}
    assert person.client.post("/auth/login", json=old).status_code == 401


def test_the_wrong_current_password_is_named_at_its_field(backend: Backend) -> None:
    body = {"current_password": "not it", "new_password": "a new and longer one"}
    answer = backend.person().client.post("/auth/password", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "current_password"


def test_a_body_beyond_all_reason_is_refused(backend: Backend) -> None:
    body = {"email": "a@example.org", "password": "x" * (3 << 20)}
    assert backend.client().post("/auth/login", json=body).status_code == 413


def test_the_language_that_a_person_chose_is_told_wherever_they_sign_in(backend: Backend) -> None:
    person, other = backend.person(), backend.person()
    assert person.client.get("/auth/me").json()["language"] is None
    assert person.client.put("/auth/language", json={"language": "zh-Hans"}).status_code == 204
    assert person.client.get("/auth/me").json()["language"] == "zh-Hans"
    credentials = {"email": person.email, "password": person.password}
    assert backend.client().post("/auth/login", json=credentials).json()["language"] == "zh-Hans"
    assert other.client.get("/auth/me").json()["language"] is None


def test_a_language_that_no_page_speaks_is_refused(backend: Backend) -> None:
    person = backend.person()
    answer = person.client.put("/auth/language", json={"language": "tlh"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "language"
    assert person.client.get("/auth/me").json()["language"] is None
