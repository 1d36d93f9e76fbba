"""Passkeys as a second factor: what a device must sign to get in, and to go on where a session alone is not enough."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import services
from accounts.device import Device, decoded, encoded
from harness import Backend, Person
from ngxlab.accounts.models import Role
from ngxlab.core.config import Settings
from pydantic import SecretStr, ValidationError
from serving import serving
from sqlalchemy import text

_NAMED = {"public_url": "https://lab.example.org", "cookie_secure": False}


@pytest.fixture(scope="module")
def named(migrated: Settings) -> Iterator[Backend]:
    """An installation whose address has a name, as passkeys need it."""
    with serving(migrated.model_copy(update=_NAMED | {"port": services.free_port()})) as reached:
        yield reached


def _begin(person: Person, password: str | None = None) -> httpx2.Response:
    return person.client.post("/auth/passkeys/registration", json={"password": password or person.password})


def _add(person: Person, device: Device, name: str = "A key") -> httpx2.Response:
    options = _begin(person).raise_for_status().json()["options"]
    return person.client.post("/auth/passkeys", json=device.make(options, name))


@dataclass
class Owner:
    """Somebody with a passkey. Attempts are made in a browser that is known: they are counted apart from others'."""

    backend: Backend
    person: Person
    device: Device = field(default_factory=Device)

    @property
    def client(self) -> httpx2.Client:
        return self.person.client

    def ask(self) -> dict[str, Any]:
        """What a sign-in with the right password is answered with."""
        body = {"email": self.person.email, "password": self.person.password}
        answer = self.client.post("/auth/login", json=body)
        assert (answer.status_code, answer.json()["code"]) == (401, "passkey-required")
        options: dict[str, Any] = answer.json()["passkey"]
        return options

    def enter(self, answer: dict[str, str]) -> httpx2.Response:
        body = {"email": self.person.email, "password": self.person.password, "passkey": answer}
        return self.client.post("/auth/login", json=body)

    def ask_to_confirm(self) -> dict[str, Any]:
        options: dict[str, Any] = self.client.post("/auth/passkeys/confirmation").raise_for_status().json()["options"]
        return options

    def confirm(self, answer: dict[str, str]) -> httpx2.Response:
        return self.client.put("/auth/passkeys/confirmation", json={"passkey": answer})

    def make_token(self) -> httpx2.Response:
        return self.client.post("/auth/tokens", json={"name": "ci", "scope": "administer"})

    def wait(self, minutes: int) -> None:
        """The last confirmation is so much longer ago."""
        query = text(
            "UPDATE login_session SET confirmed_at = confirmed_at - make_interval(mins => :minutes) "
            "WHERE account_id = (SELECT id FROM account WHERE email = :email)"
        )
        given = {"minutes": minutes, "email": self.person.email}
        self.backend.operator(lambda session: session.execute(query, given))


def _owner(backend: Backend, role: Role = Role.administrator) -> Owner:
    owner = Owner(backend, backend.person(role))
    _add(owner.person, owner.device).raise_for_status()
    return owner


@pytest.fixture
def owner(named: Backend) -> Owner:
    return _owner(named)


def _entries(owner: Owner, act: str) -> list[dict[str, Any]]:
    reader = owner.backend.person()
    found = reader.client.get("/audit", params={"act": act, "limit": 200}).raise_for_status().json()["items"]
    return [one for one in found if owner.person.email in (one["actor_name"], one["object_name"])]


def test_a_passkey_is_asked_for_after_the_right_password_and_signs_in(owner: Owner) -> None:
    wrong = owner.client.post("/auth/login", json={"email": owner.person.email, "password": "wrong"})
    assert (wrong.json()["code"], "passkey" in wrong.json()) == ("wrong-credentials", False)
    options = owner.ask()
    assert (options["rpId"], options["userVerification"]) == ("lab.example.org", "preferred")
    assert [decoded(one["id"]) for one in options["allowCredentials"]] == list(owner.device.keys)
    entered = owner.enter(owner.device.sign(options))
    assert (entered.status_code, entered.json()["account"]["email"]) == (200, owner.person.email)
    [listed] = owner.client.get("/auth/passkeys").json()["items"]
    assert (listed["name"], listed["last_used_at"] is not None) == ("A key", True)
    methods = [entry["detail"]["method"] for entry in _entries(owner, "signed-in")]
    assert sorted(methods) == ["password", "password and passkey"]


def test_a_right_assertion_without_the_right_password_is_worth_nothing(owner: Owner) -> None:
    answer = owner.device.sign(owner.ask())
    body = {"email": owner.person.email, "password": "wrong", "passkey": answer}
    assert owner.client.post("/auth/login", json=body).json()["code"] == "wrong-credentials"


Fault = Callable[[Owner, dict[str, Any]], dict[str, str]]


def _by(**changes: Any) -> Fault:
    return lambda owner, options: replace(owner.device, **changes).sign(options)


def _of_somebody_else(owner: Owner, options: dict[str, Any]) -> dict[str, str]:
    return _owner(owner.backend).device.sign(options)


def _in_the_name_of(owner: Owner, options: dict[str, Any]) -> dict[str, str]:
    other = Device()
    other.make(options)
    return other.sign(options, credential_id=next(iter(owner.device.keys)))


def _to_somebody_else(owner: Owner, options: dict[str, Any]) -> dict[str, str]:
    del options
    return owner.device.sign(_owner(owner.backend).ask())


def _for_a_confirmation(owner: Owner, options: dict[str, Any]) -> dict[str, str]:
    del options
    return owner.device.sign(owner.ask_to_confirm())


def _again(owner: Owner, options: dict[str, Any]) -> dict[str, str]:
    answer = owner.device.sign(options)
    owner.enter(answer).raise_for_status()
    return answer


def _made_up(owner: Owner, options: dict[str, Any]) -> dict[str, str]:
    return owner.device.sign(options | {"challenge": encoded(b"x" * 32)})


def _changed(owner: Owner, options: dict[str, Any]) -> dict[str, str]:
    answer = owner.device.sign(options)
    data = bytearray(decoded(answer["authenticator_data"]))
    data[-1] += 1  # the counter
    return answer | {"authenticator_data": encoded(bytes(data))}


def _part(name: str, content: bytes) -> Fault:
    return lambda owner, options: owner.device.sign(options) | {name: encoded(content)}


FAULTS: dict[str, Fault] = {
    "by another page": _by(origin="https://evil.example"),
    "by a page of a host below": _by(origin="https://evil.lab.example.org"),
    "by a page at another port": _by(origin="https://lab.example.org:8443"),
    "by a page without TLS": _by(origin="http://lab.example.org"),
    "for another site": _by(host="evil.example"),
    "while nobody was there": _by(flags=0),
    "made, not signed": lambda owner, options: owner.device.sign(options, kind="webauthn.create"),
    "of somebody else's passkey": _of_somebody_else,
    "in the name of a passkey": _in_the_name_of,
    "changed after it was signed": _changed,
    "to what somebody else was asked": _to_somebody_else,
    "to what was asked for a confirmation": _for_a_confirmation,
    "to what nobody asked": _made_up,
    "a second time": _again,
    "no client data": _part("client_data", b"\xff"),
    "client data that is a list": _part("client_data", b"[]"),
    "no authenticator data": _part("authenticator_data", b"x"),
    "no signature": _part("signature", b"x"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_any_other_answer_opens_nothing_and_is_in_the_audit_log(owner: Owner, fault: str) -> None:
    answer = FAULTS[fault](owner, owner.ask())
    stranger = owner.backend.client()
    stranger.cookies.set("ngxlab_device", owner.client.cookies["ngxlab_device"])
    body = {"email": owner.person.email, "password": owner.person.password, "passkey": answer}
    refused = stranger.post("/auth/login", json=body)
    assert (refused.status_code, refused.json()["code"]) == (401, "passkey-refused")
    assert "ngxlab_session" not in stranger.cookies
    assert [entry["detail"]["reason"] for entry in _entries(owner, "sign-in-failed")] == ["passkey-refused"]


def test_a_challenge_is_used_up_by_a_wrong_answer(owner: Owner) -> None:
    options = owner.ask()
    wrong = replace(owner.device, origin="https://evil.example").sign(options)
    assert owner.enter(wrong).status_code == 401
    assert owner.enter(owner.device.sign(options)).json()["code"] == "passkey-refused"
    assert owner.enter(owner.device.sign(owner.ask())).status_code == 200


def test_a_challenge_lasts_for_minutes_only(owner: Owner) -> None:
    options = owner.ask()
    late = "UPDATE passkey_challenge SET expires_at = expires_at - interval '5 minutes' WHERE challenge = :one"
    given = {"one": options["challenge"]}
    owner.backend.operator(lambda session: session.execute(text(late), given))
    assert owner.enter(owner.device.sign(options)).json()["code"] == "passkey-refused"


def test_a_counter_that_goes_back_is_that_of_a_copy(owner: Owner) -> None:
    copy = replace(owner.device)
    for _ in range(2):
        owner.enter(owner.device.sign(owner.ask())).raise_for_status()
    refused = owner.enter(copy.sign(owner.ask()))
    assert (refused.status_code, refused.json()["code"]) == (401, "passkey-copied")
    assert "went back" in refused.json()["detail"]
    assert "passkey-copied" in [entry["detail"]["reason"] for entry in _entries(owner, "sign-in-failed")]


def test_a_device_that_does_not_count_signs_in_again_and_again(owner: Owner) -> None:
    for _ in range(2):
        owner.device.counter = -1
        assert owner.enter(owner.device.sign(owner.ask())).status_code == 200


def test_wrong_passkeys_are_counted_as_wrong_passwords_are(owner: Owner) -> None:
    codes = []
    for _ in range(6):  # each is two attempts: the question, and its answer
        body = {"email": owner.person.email, "password": owner.person.password}
        codes.append(owner.client.post("/auth/login", json=body).json()["code"])
        codes.append(owner.enter(_made_up(owner, {})).json()["code"])
    assert codes == ["passkey-required", "passkey-refused"] * 5 + ["throttled"] * 2


# --- adding and removing -----------------------------------------------------------------------------------------


def test_the_first_passkey_needs_the_password_a_further_one_does_not(named: Backend) -> None:
    person = named.person(Role.viewer)
    for body in ({}, {"password": "wrong"}):
        refused = person.client.post("/auth/passkeys/registration", json=body)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "password")
    _add(person, Device()).raise_for_status()
    options = person.client.post("/auth/passkeys/registration", json={}).raise_for_status().json()["options"]
    assert len(options["excludeCredentials"]) == 1
    assert (options["rp"]["id"], options["user"]["name"]) == ("lab.example.org", person.email)


MADE_WRONG: dict[str, Device] = {
    "by another page": Device(origin="https://evil.example"),
    "for another site": Device(host="evil.example"),
    "while nobody was there": Device(flags=0),
    "by a signature that nobody can check": Device(algorithm=-65535),
}


@pytest.mark.parametrize("fault", MADE_WRONG)
def test_a_key_that_was_made_otherwise_is_not_taken(named: Backend, fault: str) -> None:
    person = named.person(Role.viewer)
    refused = _add(person, MADE_WRONG[fault])
    assert (refused.status_code, refused.json()["code"]) == (403, "passkey-refused")
    assert person.client.get("/auth/passkeys").json()["items"] == []


def test_a_key_is_made_once_for_what_its_person_was_asked(owner: Owner) -> None:
    options = _begin(owner.person).json()["options"]
    body = Device().make(options)
    other = _owner(owner.backend)
    assert other.client.post("/auth/passkeys", json=body).json()["code"] == "passkey-refused"
    assert owner.client.post("/auth/passkeys", json=body).status_code == 201
    assert owner.client.post("/auth/passkeys", json=body).json()["code"] == "passkey-refused"
    signing = Device().make(owner.ask_to_confirm())
    assert owner.client.post("/auth/passkeys", json=signing).json()["code"] == "passkey-refused"


def test_a_passkey_belongs_to_one_account(owner: Owner) -> None:
    other, copied = owner.backend.person(Role.viewer), Device()
    made = copied.make(_begin(owner.person).json()["options"])
    owner.client.post("/auth/passkeys", json=made).raise_for_status()
    options = _begin(other).json()["options"]
    told = encoded(
        decoded(made["client_data"]).replace(b'"challenge"', b'"was"', 1)[:-1]
        + (b', "challenge": "' + options["challenge"].encode() + b'"}')
    )
    taken = other.client.post("/auth/passkeys", json=made | {"client_data": told})
    assert (taken.status_code, taken.json()["code"]) == (409, "passkey-taken")


def test_people_remove_their_own_passkeys_only(owner: Owner) -> None:
    [key] = owner.client.get("/auth/passkeys").json()["items"]
    other = _owner(owner.backend)
    assert other.client.delete(f"/auth/passkeys/{key['id']}").status_code == 404
    assert owner.client.delete(f"/auth/passkeys/{key['id']}").status_code == 204
    owner.person.sign_in()  # by the password alone
    acts = [
        (entry["act"], entry["object_name"])
        for act in ("passkey-added", "passkey-removed")
        for entry in _entries(owner, act)
    ]
    assert acts == [("passkey-added", "A key"), ("passkey-removed", "A key")]


def test_an_administrator_removes_the_passkeys_of_who_has_lost_them(owner: Owner) -> None:
    administrator = owner.backend.person()
    account = owner.client.get("/auth/me").json()["account"]["id"]
    [key] = administrator.client.get(f"/accounts/{account}/passkeys").json()["items"]
    assert (key["name"], key["last_used_at"]) == ("A key", None)
    assert administrator.client.delete(f"/accounts/{account}/passkeys").status_code == 204
    assert administrator.client.get(f"/accounts/{account}/passkeys").json()["items"] == []
    owner.person.sign_in()
    [entry] = _entries(owner, "passkey-removed")
    assert (entry["actor_name"], entry["object_name"]) == (administrator.email, owner.person.email)


def test_a_new_password_from_an_administrator_does_not_replace_the_passkey(owner: Owner) -> None:
    account = owner.client.get("/auth/me").json()["account"]["id"]
    path = f"/accounts/{account}/one-time-password"
    owner.person.password = owner.backend.person().client.post(path).raise_for_status().json()["password"]
    assert owner.enter(owner.device.sign(owner.ask())).status_code == 200


# --- confirming --------------------------------------------------------------------------------------------------


def test_a_session_alone_makes_no_way_in_for_who_has_a_passkey(owner: Owner) -> None:
    assert owner.make_token().status_code == 201  # the passkey was added just now
    owner.wait(9)
    assert owner.make_token().status_code == 201
    owner.wait(1)
    refused = owner.make_token()
    assert (refused.status_code, refused.json()["code"]) == (403, "passkey-confirmation")
    assert owner.client.get("/auth/tokens").status_code == 200
    assert owner.confirm(owner.device.sign(owner.ask_to_confirm())).status_code == 204
    assert owner.make_token().status_code == 201


def test_a_sign_in_with_the_passkey_is_a_confirmation_and_outlives_a_new_password(owner: Owner) -> None:
    owner.wait(60)
    entered = owner.enter(owner.device.sign(owner.ask())).raise_for_status()
    owner.client.headers["X-CSRF-Token"] = entered.json()["csrf_token"]
    body = {"current_password": owner.person.password, "new_password": "a new and longer one"}
    changed = owner.client.post("/auth/password", json=body).raise_for_status()
    owner.client.headers["X-CSRF-Token"] = changed.json()["csrf_token"]
    assert owner.make_token().status_code == 201
    owner.wait(60)
    assert owner.make_token().json()["code"] == "passkey-confirmation"


@pytest.mark.parametrize(
    "fault",
    [
        _by(origin="https://evil.example"),
        _by(host="evil.example"),
        _of_somebody_else,
        lambda owner, options: owner.device.sign(owner.ask()),
        lambda owner, options: owner.device.sign(_owner(owner.backend).ask_to_confirm()),
    ],
    ids=["other page", "other site", "other passkey", "challenge of a sign-in", "challenge of somebody else"],
)
def test_a_wrong_confirmation_confirms_nothing_and_ends_no_session(owner: Owner, fault: Fault) -> None:
    owner.wait(60)
    refused = owner.confirm(fault(owner, owner.ask_to_confirm()))
    assert (refused.status_code, refused.json()["code"]) == (403, "passkey-refused")
    assert owner.make_token().json()["code"] == "passkey-confirmation"
    assert "passkey-refused" in [entry["detail"]["reason"] for entry in _entries(owner, "sign-in-failed")]


def test_a_confirmation_holds_for_its_session_only_and_once(owner: Owner) -> None:
    answer = owner.device.sign(owner.ask_to_confirm())
    owner.confirm(answer).raise_for_status()
    owner.wait(60)
    assert owner.confirm(answer).json()["code"] == "passkey-refused"
    other = Owner(owner.backend, Person(owner.backend.client(), owner.person.email, owner.person.password))
    other.device = owner.device
    other.client.cookies.set("ngxlab_device", owner.client.cookies["ngxlab_device"])
    other.client.headers["X-CSRF-Token"] = other.enter(owner.device.sign(other.ask())).json()["csrf_token"]
    assert other.make_token().status_code == 201
    assert owner.make_token().json()["code"] == "passkey-confirmation"


def test_who_has_no_passkey_and_what_a_token_does_are_not_asked(owner: Owner) -> None:
    script = owner.backend.client(owner.make_token().json()["token"])
    owner.wait(60)
    made = script.post("/hosts/enrolment-tokens", json={})
    assert made.status_code == 201
    assert owner.client.post("/hosts/enrolment-tokens", json={}).json()["code"] == "passkey-confirmation"
    plain = owner.backend.person()
    assert plain.client.post("/hosts/enrolment-tokens", json={}).status_code == 201
    assert plain.client.post("/auth/passkeys/confirmation").json()["code"] == "no-passkey"


# --- where passkeys can be, and must be --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "host", "origin", "obstacle"),
    [
        ("https://Lab.example.org/", "lab.example.org", "https://lab.example.org", None),
        ("https://lab.example.org:443/ngx", "lab.example.org", "https://lab.example.org", None),
        ("https://lab:8443", "lab", "https://lab:8443", None),
        ("http://localhost:8400", "localhost", "http://localhost:8400", None),
        ("http://lab.localhost", "lab.localhost", "http://lab.localhost", None),
        ("http://lab.example.org", "lab.example.org", "http://lab.example.org", "insecure"),
        ("http://notlocalhost", "notlocalhost", "http://notlocalhost", "insecure"),
        ("https://192.0.2.7", "192.0.2.7", "https://192.0.2.7", "address"),
        ("http://[::1]:8400", "::1", "http://::1:8400", "address"),
    ],
)
def test_which_addresses_can_have_passkeys(
    settings: Settings, address: str, host: str, origin: str, obstacle: str | None
) -> None:
    at = settings.model_copy(update={"public_url": address})
    assert (at.public_host, at.public_origin, at.passkey_obstacle) == (host, origin, obstacle)


def test_an_installation_whose_address_has_no_name_says_why_there_are_none(migrated: Settings) -> None:
    changes = {"public_url": "http://192.0.2.7:8400", "port": services.free_port()}
    with serving(migrated.model_copy(update=changes), alone=True) as backend:
        person = backend.person(Role.viewer)
        assert person.client.get("/auth/passkeys").json()["unavailable"] == "address"
        refused = _begin(person)
    assert (refused.status_code, refused.json()["code"]) == (409, "passkeys-unavailable")


def test_an_installation_that_demands_what_it_cannot_have_does_not_start(settings: Settings) -> None:
    given = {"DATABASE_URL": "postgresql://x", "REDIS_URL": "redis://x", "coordinator_token": SecretStr("x" * 32)}
    with pytest.raises(ValidationError, match="needs an NGXLAB_PUBLIC_URL for which browsers have passkeys"):
        Settings(**given, require_passkeys="everybody", public_url="https://192.0.2.7")  # type: ignore[arg-type]
    Settings(**given, require_passkeys="everybody", public_url="https://lab.example.org")  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def strict(migrated: Settings) -> Iterator[Backend]:
    changes = _NAMED | {"port": services.free_port(), "require_passkeys": "administrators"}
    with serving(migrated.model_copy(update=changes)) as reached:
        yield reached


def test_who_needs_a_passkey_does_nothing_before_it_is_added(strict: Backend, backend: Backend) -> None:
    person = strict.person()
    assert person.client.get("/auth/me").json()["must_add_passkey"] is True
    made = backend.person()  # elsewhere, where none is needed
    token = made.client.post("/auth/tokens", json={"name": "ci", "scope": "read"}).json()["token"]
    for refused in (
        person.client.get("/experiments"),
        person.client.get("/auth/sessions"),
        person.client.post("/auth/tokens", json={"name": "ci", "scope": "read"}),
        person.client.get(f"/runs/{uuid4()}/live"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (403, "passkey-needed")
    assert strict.client(token).get("/experiments").status_code == 200  # which is no password
    _add(person, Device()).raise_for_status()
    assert person.client.get("/auth/me").json()["must_add_passkey"] is False
    assert person.client.get("/experiments").status_code == 200
    viewer = strict.person(Role.viewer)
    assert viewer.client.get("/experiments").status_code == 200
    assert viewer.client.get("/auth/me").json()["must_add_passkey"] is False


def test_a_one_time_password_is_replaced_before_a_passkey_is_added(strict: Backend) -> None:
    administrator = Owner(strict, strict.person())
    _add(administrator.person, administrator.device).raise_for_status()
    email = f"new-{uuid4().hex[:8]}@example.org"
    body = {"email": email, "role": "administrator"}
    given = administrator.client.post("/accounts", json=body).raise_for_status().json()["password"]
    person = Person(strict.client(), email, given)
    person.sign_in()
    assert _begin(person).json()["code"] == "password-change-required"
    change = {"current_password": given, "new_password": "a new and longer one"}
    changed = person.client.post("/auth/password", json=change).raise_for_status().json()
    person.client.headers["X-CSRF-Token"], person.password = changed["csrf_token"], "a new and longer one"
    assert changed["must_add_passkey"] is True
    assert _add(person, Device()).status_code == 201
