"""Guessing passwords is slow, however it is done, and locks out nobody but the guesser."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import httpx2
import pytest
import services
from harness import Backend, Person
from pydantic import SecretStr, ValidationError
from serving import serving, web_process

_numbers = count(1)


def _address() -> str:
    """One that no other test uses."""
    number = next(_numbers)
    return f"203.0.{113 + number // 250}.{number % 250}"


def _from(lab: Backend, address: str) -> httpx2.Client:
    client = lab.client()
    client.headers["X-Forwarded-For"] = address
    return client


def _guess(client: httpx2.Client, email: str, password: str = "wrong") -> httpx2.Response:
    return client.post("/auth/login", json={"email": email, "password": password})


def test_parallel_guesses_pass_no_more_than_the_limit(proxied: Backend) -> None:
    person, address = proxied.person(), _address()
    with ThreadPoolExecutor(50) as guessers:
        clients = [_from(proxied, address) for _ in range(50)]
        answers = list(guessers.map(lambda client: _guess(client, person.email).status_code, clients))
    assert Counter(answers) == {401: 10, 429: 40}


def test_a_refusal_says_when_to_try_again(proxied: Backend) -> None:
    person, client = proxied.person(), _from(proxied, _address())
    for _ in range(10):
        assert _guess(client, person.email).status_code == 401
    refused = _guess(client, person.email, person.password)
    assert (refused.status_code, refused.json()["code"]) == (429, "throttled")
    assert refused.json()["detail"] == "Too many wrong passwords. Try again in 15 minutes."
    assert 800 < int(refused.headers["Retry-After"]) <= 900


def test_letter_case_makes_no_new_account_to_guess_at(proxied: Backend) -> None:
    person, client = proxied.person(), _from(proxied, _address())
    spellings = [person.email, person.email.upper(), f" {person.email.title()} "] * 4
    assert [_guess(client, email).status_code for email in spellings] == [401] * 10 + [429] * 2


def test_one_address_cannot_try_many_accounts(proxied: Backend) -> None:
    client = _from(proxied, _address())
    statuses = [_guess(client, f"nobody-{number}@example.org").status_code for number in range(51)]
    assert statuses == [401] * 50 + [429]


def test_a_network_of_ipv6_addresses_counts_as_one(proxied: Backend) -> None:
    person = proxied.person()
    clients = [_from(proxied, f"2001:db8:1:1::{number}") for number in range(1, 12)]
    assert [_guess(client, person.email).status_code for client in clients] == [401] * 10 + [429]


def test_many_addresses_cannot_try_one_account_without_end(proxied: Backend) -> None:
    person = proxied.person()
    statuses = Counter(
        _guess(client, person.email).status_code
        for client in [_from(proxied, _address()) for _ in range(11)]
        for _ in range(10)
    )
    assert statuses == {401: 100, 429: 10}


def test_strangers_lock_out_nobody_who_has_signed_in_before(proxied: Backend) -> None:
    """Not even from the owner's own address."""
    person, address = proxied.person(), _address()
    person.client.headers["X-Forwarded-For"] = address
    stranger = _from(proxied, address)
    while _guess(stranger, person.email).status_code == 401:
        pass
    person.sign_in()
    person.client.cookies.delete("ngxlab_session")  # signed out, the browser is known still
    person.sign_in()


def test_a_known_device_is_known_to_its_own_account_only(proxied: Backend) -> None:
    thief, victim = proxied.person(), proxied.person()
    thief.client.headers["X-Forwarded-For"] = _address()
    statuses = [_guess(thief.client, victim.email).status_code for _ in range(11)]
    assert statuses == [401] * 10 + [429]
    assert _guess(_from(proxied, _address()), victim.email, victim.password).status_code == 200


def test_a_known_device_guesses_no_faster(proxied: Backend) -> None:
    person = proxied.person()
    statuses = [_guess(person.client, person.email).status_code for _ in range(11)]
    assert statuses == [401] * 10 + [429]


def test_a_device_cookie_that_somebody_made_up_is_replaced(proxied: Backend) -> None:
    person, client = proxied.person(), proxied.client()
    client.cookies.set("ngxlab_device", "known-to-a-stranger")
    cookies = _guess(client, person.email, person.password).headers.get_list("set-cookie")
    [device] = [cookie for cookie in cookies if cookie.startswith("ngxlab_device=")]
    assert device.startswith("ngxlab_device=ngxd_")
    assert "HttpOnly" in device


def test_right_passwords_are_no_guesses(proxied: Backend) -> None:
    person, client = proxied.person(), _from(proxied, _address())
    for _ in range(12):
        client.cookies.clear()
        assert _guess(client, person.email, person.password).status_code == 200
    client.cookies.clear()
    for _ in range(2):  # whoever remembers their password in the end starts afresh
        assert [_guess(client, person.email).status_code for _ in range(9)] == [401] * 9
        assert _guess(client, person.email, person.password).status_code == 200
        client.cookies.clear()


def test_the_current_password_cannot_be_guessed_in_a_session(proxied: Backend) -> None:
    person = proxied.person()
    with ThreadPoolExecutor(20) as guessers:
        answers = list(guessers.map(lambda _: _change(person, "wrong").status_code, range(20)))
    assert Counter(answers) == {422: 10, 429: 10}
    assert _change(person, person.password).status_code == 429
    person.sign_in()  # the owner gets in, and has a session of their own to change it in
    assert _change(person, person.password).status_code == 200


def _change(person: Person, current: str) -> httpx2.Response:
    body = {"current_password": current, "new_password": "a new and longer one"}
    return person.client.post("/auth/password", json=body)


def test_without_redis_guesses_are_counted_all_the_same(backend: Backend) -> None:
    person, known = backend.person(), backend.person()
    changes = {"port": services.free_port(), "trusted_proxies": ("127.0.0.1",)}
    with services.redis() as gone:
        settings = backend.settings.model_copy(update=changes | {"redis_url": SecretStr(gone)})
    with serving(settings) as lab, ThreadPoolExecutor(20) as guessers:
        clients = [_from(lab, "198.51.100.7") for _ in range(20)]
        answers = list(guessers.map(lambda client: _guess(client, person.email).status_code, clients))
        assert Counter(answers) == {401: 10, 429: 10}
        assert _guess(_from(lab, "198.51.100.8"), known.email, known.password).status_code == 200


def test_what_a_stranger_says_of_their_address_is_ignored(served: Backend) -> None:
    """Loopback is no proxy unless the settings say so."""
    person = served.person()
    statuses = [_guess(_from(served, _address()), person.email).status_code for _ in range(11)]
    assert statuses == [401] * 10 + [429]


def test_of_a_chain_of_addresses_only_what_trusted_proxies_added_counts(proxied: Backend) -> None:
    person, address = proxied.person(), _address()
    chains = [f"{_address()}, {address}, 127.0.0.5" for _ in range(11)]
    assert [_guess(_from(proxied, chain), person.email).status_code for chain in chains] == [401] * 10 + [429]


@pytest.fixture
def served(backend: Backend) -> Iterator[Backend]:
    with web_process(backend.settings) as (_, port):
        reached = Backend(f"http://127.0.0.1:{port}", backend.settings)
        yield reached
        reached.close()


def test_a_proxy_that_is_no_address_is_refused_at_the_start(backend: Backend) -> None:
    values = backend.settings.model_dump() | {"DATABASE_URL": "postgresql://x", "REDIS_URL": "redis://x"}
    with pytest.raises(ValidationError, match=r"proxy\.example"):
        type(backend.settings)(**values | {"trusted_proxies": "10.0.0.0/8, proxy.example"})
    assert type(backend.settings)(**values | {"trusted_proxies": "10.0.0.0/8, ::1"}).trusted_proxies == (
        "10.0.0.0/8",
        "::1",
    )
