"""Which passwords and addresses an account may have."""

import pytest
from definition.sentences import unlisted
from harness import Backend
from ngxlab.accounts.passwords import MAX_LENGTH, weakness
from ngxlab.accounts.schemas import AccountCreate, Email, LoginRequest
from pydantic import TypeAdapter, ValidationError


@pytest.mark.parametrize(
    "password",
    [
        "aaaaaaaaaa",
        "1234567890",
        "password12",
        "P@ssw0rd123",
        "qwertyuiop",
        "abcdefghijklm",
        "ngxlab12345",
        "nginxnginxnginx",
        "jane.doe2026",
        "jane.doe@example.org",
        "a1b2c3" * 20,
    ],
)
def test_a_password_that_is_easy_to_guess_is_refused(password: str) -> None:
    advice = weakness(password, "jane.doe@example.org")
    assert advice is not None
    assert list(unlisted(advice)) == []


@pytest.mark.parametrize(
    "password", ["a new and longer one", "correct horse battery", "q8F-zz3kLm2p", "x" * 3 + "Käse & Brötchen"]
)
def test_a_good_password_is_taken(password: str) -> None:
    assert weakness(password, "jane.doe@example.org") is None


def test_a_weak_password_is_explained_at_its_field(backend: Backend) -> None:
    person = backend.person()

    def refusal(new: str) -> str:
        answer = person.client.post("/auth/password", json={"current_password": person.password, "new_password": new})
        assert answer.status_code == 422
        [problem] = answer.json()["errors"]
        assert problem["field"] == "new_password"
        message: str = problem["message"]
        return message

    assert "common password" in refusal("password12")
    assert refusal(person.email) == "This is too easy to guess. Add another word or two. Uncommon words are better."
    assert "at least 10 characters" in refusal("short one")
    assert f"at most {MAX_LENGTH} characters" in refusal("x" * (MAX_LENGTH + 1))
    assert "the password you have" in refusal(person.password)


def test_the_longest_password_works(backend: Backend) -> None:
    person = backend.person()
    new = "correct horse battery staple " * 4 + "0123456789ab"
    assert len(new) == MAX_LENGTH
    body = {"current_password": person.password, "new_password": new}
    person.client.post("/auth/password", json=body).raise_for_status()
    person.password = new
    person.sign_in()
    assert backend.client().post("/auth/login", json={"email": person.email, "password": new[:-1]}).status_code == 401


_EMAIL: TypeAdapter[str] = TypeAdapter(Email)


@pytest.mark.parametrize(
    "address",
    [
        "<script>alert(1)</script>@x",
        "a b@example.org",
        "a@b@c",
        "@example.org",
        "a@",
        "a\x00@example.org",
        "a\u202e@x.org",
        "j\u00fcrgen@example.org",
    ],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ValidationError, match="no e-mail address"):
        _EMAIL.validate_python(address)


def test_an_address_has_one_spelling() -> None:
    assert _EMAIL.validate_python("  Jane.Doe@Example.ORG ") == "jane.doe@example.org"
    assert _EMAIL.validate_python("admin@localhost") == "admin@localhost"


def test_an_account_from_before_addresses_were_checked_still_signs_in(backend: Backend) -> None:
    assert LoginRequest(email=" Odd <One>@X ", password="x").email == "odd <one>@x"
    assert LoginRequest(email="Ju\u0308rgen@example.org", password="x").email == "j\u00fcrgen@example.org"
    nul = {"email": "a\x00@example.org", "password": "x"}
    assert backend.client().post("/auth/login", json=nul).status_code == 422
    with pytest.raises(ValidationError):
        AccountCreate.model_validate({"email": "odd <one>@x", "role": "viewer"})
