"""Sign-in at a certified provider, driven as a browser does; and whose account it leads to."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin
from uuid import uuid4

import httpx2
import pytest
import services
from harness import Backend, Person
from ngxlab.accounts.models import Account, Role
from ngxlab.core.config import Settings
from pydantic import SecretStr, ValidationError
from serving import serving
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

from scripts.testbed.oidc import CLIENT_ID, CLIENT_SECRET, oidc_provider

CALLBACK = "/api/v1/auth/oidc/callback"
PEOPLE: dict[str, dict[str, Any]] = {}
"""What the provider knows: ``ROLE-N`` is in the group of that role, each with an address of its own."""

_GROUPS = {"plain": [], "experimenter": ["perf"], "administrator": ["perf", "lab-admins"]}
for _group, _names in _GROUPS.items():
    for _number in range(12):
        _login = f"{_group}-{_number}-{uuid4().hex[:6]}"
        _person = {"email": f"{_login}@Example.org", "email_verified": True, "groups": _names}
        PEOPLE[_login] = _person
_UNUSED = {group: [login for login in PEOPLE if login.startswith(group)] for group in _GROUPS}


def _someone(group: str = "plain") -> str:
    """A login that no test has used."""
    return _UNUSED[group].pop()


@pytest.fixture(scope="module")
def backend(migrated: Settings) -> Iterator[Backend]:
    port = services.free_port()
    url = f"http://127.0.0.1:{port}"
    with oidc_provider(f"{url}{CALLBACK}", PEOPLE) as provider:
        changes = {
            "port": port,
            "public_url": url,
            "oidc_issuer": provider.issuer,
            "oidc_client_id": CLIENT_ID,
            "oidc_client_secret": SecretStr(CLIENT_SECRET),
            "oidc_label": "Example",
            "oidc_role_claim": "groups",
            "oidc_administrators": "lab-admins",
            "oidc_experimenters": "perf",
        }
        with serving(migrated.model_copy(update=changes)) as reached:
            yield reached


def _follow(browser: httpx2.Client, answer: httpx2.Response) -> httpx2.Response:
    """To the next page that is not a redirect; pages of the frontend are not there to be opened."""
    while answer.is_redirect:
        address = urljoin(str(answer.url), answer.headers["location"])
        if "/login?" in address or not re.search(r"/(auth|interaction|api)\b", address):
            return httpx2.Response(200, request=httpx2.Request("GET", address))
        answer = browser.get(address)
    return answer


def _sign_in(backend: Backend, login: str, *, consents: bool = True) -> tuple[httpx2.Client, str]:
    """Log in at the provider and give consent; the browser, and the address where it lands."""
    browser = backend.client()
    page = _follow(browser, browser.get("/auth/oidc/start", params={"next": "/hosts"}))
    for _ in range(2):
        form = re.search(r'action="([^"]+)"', page.text)
        if form is None:
            break
        prompt = re.findall(r'name="prompt" value="(\w+)"', page.text)[0]
        if prompt == "consent" and not consents:
            page = _follow(browser, browser.get(urljoin(str(page.url), form[1]) + "/abort"))
            break
        body = {"prompt": prompt, "login": login, "password": "any"}
        page = _follow(browser, browser.post(urljoin(str(page.url), form[1]), data=body))
    return browser, str(page.url).removeprefix(backend.url)


def _me(browser: httpx2.Client) -> dict[str, Any]:
    account: dict[str, Any] = browser.get("/auth/me").raise_for_status().json()["account"]
    return account


def _of(login: str) -> str:
    return str(PEOPLE[login]["email"]).lower()


@pytest.mark.parametrize(
    ("group", "role"),
    [("plain", "viewer"), ("experimenter", "experimenter"), ("administrator", "administrator")],
)
def test_a_new_person_gets_the_role_of_their_groups(backend: Backend, group: str, role: str) -> None:
    login = _someone(group)
    browser, landed = _sign_in(backend, login)
    assert landed == "/hosts"
    assert (_me(browser)["email"], _me(browser)["role"]) == (_of(login), role)


def test_the_same_person_has_the_same_account_and_signing_out_ends_the_session(backend: Backend) -> None:
    login = _someone()
    browser, _ = _sign_in(backend, login)
    first = _me(browser)["id"]
    browser.headers["X-CSRF-Token"] = browser.get("/auth/me").json()["csrf_token"]
    assert browser.post("/auth/logout").status_code == 204
    assert browser.get("/auth/me").status_code == 401
    assert _me(_sign_in(backend, login)[0])["id"] == first


def test_the_browser_has_a_session_to_end_and_is_known_to_the_account_from_now_on(backend: Backend) -> None:
    browser, _ = _sign_in(backend, _someone())
    [session] = browser.get("/auth/sessions").raise_for_status().json()["items"]
    assert (session["address"], session["is_current"]) == ("127.0.0.1", True)
    assert "ngxlab_device" in {cookie.name for cookie in browser.cookies.jar}


def test_a_role_that_the_provider_changes_ends_earlier_sessions_and_tokens(backend: Backend) -> None:
    login = _someone("experimenter")
    browser, _ = _sign_in(backend, login)
    browser.headers["X-CSRF-Token"] = browser.get("/auth/me").json()["csrf_token"]
    made = browser.post("/auth/tokens", json={"name": "ci", "scope": "read"}).raise_for_status().json()

    async def demote(session: AsyncSession) -> None:
        await session.execute(update(Account).where(Account.email == _of(login)).values(role=Role.viewer))

    backend.operator(demote)
    assert _me(_sign_in(backend, login)[0])["role"] == "experimenter"
    assert browser.get("/auth/me").status_code == 401
    assert backend.client(made["token"]).get("/experiments").status_code == 401


def test_an_account_is_kept_by_its_subject_when_the_address_changes(backend: Backend) -> None:
    login = _someone()
    account = _me(_sign_in(backend, login)[0])
    renamed = f"renamed-{uuid4().hex[:6]}@example.org"

    async def rename(session: AsyncSession) -> None:
        await session.execute(update(Account).where(Account.email == account["email"]).values(email=renamed))

    backend.operator(rename)
    assert _me(_sign_in(backend, login)[0])["id"] == account["id"]


def test_refused_consent_is_told(backend: Backend) -> None:
    browser, landed = _sign_in(backend, _someone(), consents=False)
    assert landed == "/login?problem=refused&next=%2Fhosts"
    assert browser.get("/auth/me").status_code == 401


def _with_password(backend: Backend, login: str) -> Person:
    """An account with a password and the address that the provider verifies for somebody."""
    admin = backend.person()
    made = admin.client.post("/accounts", json={"email": _of(login), "role": "administrator"}).json()
    return Person(admin.client, _of(login), made["password"])


def test_an_address_does_not_lead_into_an_account_with_a_password(backend: Backend) -> None:
    login = _someone()
    owner = _with_password(backend, login)
    browser, landed = _sign_in(backend, login)
    assert landed.startswith("/login?problem=account-exists")
    assert browser.get("/auth/me").status_code == 401
    body = {"email": owner.email, "password": owner.password}
    assert backend.client().post("/auth/login", json=body).status_code == 200


def _permit(backend: Backend, email: str, *, allowed: bool) -> httpx2.Client:
    admin = backend.person().client
    [account] = [one for one in admin.get("/accounts").json()["items"] if one["email"] == email]
    admin.put(f"/accounts/{account['id']}/link-permit", json={"allowed": allowed}).raise_for_status()
    return admin


def test_an_administrator_can_allow_it_once(backend: Backend) -> None:
    login = _someone("experimenter")
    _with_password(backend, login)
    _permit(backend, _of(login), allowed=True)
    _permit(backend, _of(login), allowed=False)
    assert "account-exists" in _sign_in(backend, login)[1]
    admin = _permit(backend, _of(login), allowed=True)
    permitted = admin.get("/accounts/identities").json()["permitted"]
    account = _me(_sign_in(backend, login)[0])
    assert (account["email"], account["role"]) == (_of(login), "experimenter")
    assert not account["must_change_password"]  # the administrator's one-time password ended with the link
    links = admin.get("/accounts/identities").json()
    assert account["id"] in permitted
    assert account["id"] not in links["permitted"]
    assert account["id"] in [identity["account_id"] for identity in links["identities"]]


def test_an_address_that_was_given_to_another_person_does_not_lead_into_the_first_ones_account(
    backend: Backend,
) -> None:
    first, second = _someone(), _someone()
    account = _me(_sign_in(backend, first)[0])

    async def give_away(session: AsyncSession) -> None:
        await session.execute(update(Account).where(Account.email == account["email"]).values(email=_of(second)))

    backend.operator(give_away)
    assert "account-exists" in _sign_in(backend, second)[1]


def test_an_account_prepared_without_a_password_is_taken_by_its_address(backend: Backend) -> None:
    login = _someone("administrator")

    async def prepare(session: AsyncSession) -> None:
        session.add(Account(email=_of(login), role=Role.viewer, password_hash=None))

    backend.operator(prepare)
    browser, landed = _sign_in(backend, login)
    assert landed == "/hosts"
    assert _me(browser)["role"] == "administrator"
    guess = {"email": _of(login), "password": ""}
    assert backend.client().post("/auth/login", json=guess).status_code == 401


def test_a_disabled_account_stays_out(backend: Backend) -> None:
    login = _someone()
    account = _me(_sign_in(backend, login)[0])
    admin = backend.person().client
    admin.patch(f"/accounts/{account['id']}", json={"disabled": True}).raise_for_status()
    assert "problem=disabled" in _sign_in(backend, login)[1]


def test_who_came_through_the_provider_is_in_the_audit_log(backend: Backend) -> None:
    login = _someone("experimenter")
    _sign_in(backend, login)
    entries = backend.person().client.get("/audit", params={"object": _of(login)}).json()["items"]
    assert {entry["act"] for entry in entries} == {"account-created", "identity-linked"}
    mine = backend.person().client.get("/audit", params={"actor": _of(login)}).json()["items"]
    assert [entry["detail"] for entry in mine if entry["act"] == "signed-in"] == [{"method": "provider"}]
    assert all(entry["request_id"] for entry in entries)


def test_the_sign_in_page_learns_how_people_sign_in(backend: Backend) -> None:
    assert backend.client().get("/auth/methods").json() == {"password": True, "oidc_label": "Example"}


def test_only_the_break_glass_administrator_has_a_password_where_it_is_switched_off(
    backend: Backend,
) -> None:
    other, keeper = backend.person(), backend.person()
    changes = {
        "password_sign_in": False,
        "break_glass_email": keeper.email,
        "port": services.free_port(),
    }
    with serving(backend.settings.model_copy(update=changes)) as strict:
        assert strict.client().get("/auth/methods").json()["password"] is False
        for email in (other.email, "nobody@example.org"):
            refused = strict.client().post("/auth/login", json={"email": email, "password": other.password})
            assert (refused.status_code, refused.json()["code"]) == (403, "password-sign-in-off")
        body = {"email": keeper.email, "password": keeper.password}
        assert strict.client().post("/auth/login", json=body).status_code == 200


@pytest.mark.parametrize(
    "incomplete",
    [
        {"oidc_issuer": "https://login.example.org"},
        {"password_sign_in": False},
        {"password_sign_in": False, "oidc_issuer": "https://login.example.org", "oidc_client_id": "x"},
        {"oidc_administrators": "lab-admins"},
    ],
)
def test_settings_that_would_lock_everybody_out_are_refused(incomplete: dict[str, Any]) -> None:
    whole: dict[str, Any] = {"DATABASE_URL": "postgresql://x", "REDIS_URL": "redis://x", "coordinator_token": "x" * 32}
    with pytest.raises(ValidationError):
        Settings(**whole, **incomplete)
