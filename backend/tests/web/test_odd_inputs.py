"""What nobody means to send is answered with 4xx, a problem document, and the field where it stands."""

import json
from typing import Any

import httpx2
import pytest
from harness import Backend, Person
from ngxlab.accounts.models import Role

_NOWHERE = "00000000-0000-0000-0000-000000000000"
_DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture(scope="module")
def person(backend: Backend) -> Person:
    return backend.person(Role.administrator)


def _refused(answer: httpx2.Response, field: str, status: int = 422) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert field in [problem["field"] for problem in answer.json()["errors"]], answer.text


def _post(person: Person, path: str, text: str | bytes) -> httpx2.Response:
    return person.client.post(path, content=text, headers={"Content-Type": "application/json"})


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (r'{"name": "a\u0000b"}', "name"),
        (r'{"name": "a\ud800b"}', "name"),
        (r'{"name": "a\u202eb"}', "name"),
        (r'{"name": "a\u0007b"}', "name"),
        (r'{"name": "a\nb"}', "name"),
        (r'{"name": "   "}', "name"),
        ('{"name": "a", "expires_in_days": true}', "expires_in_days"),
        ('{"name": "a", "expires_in_days": "5"}', "expires_in_days"),
        ('{"name": "a", "expires_in_days": 1.5}', "expires_in_days"),
        ('{"name": "a", "expires_in_days": ' + "9" * 400 + "}", "expires_in_days"),
        ('{"name": "a", "expires_in_days": ' + "9" * 5000 + "}", "expires_in_days"),
        ('{"name": "a", "expires_in_days": 9223372036854775808}', "expires_in_days"),
        ('{"name": "a", "expires_in_days": 1e999}', "expires_in_days"),
        ('{"name": "a", "expires_in_days": NaN}', ""),
        ('{"name": "a", "name": "b"}', "name"),
        (r'{"a\u0000": 1}', ""),
        (_DEEP, ""),
        ('{"name": "a", "unknown": 1}', "unknown"),
    ],
)
def test_a_body_is_refused_at_its_field(person: Person, text: str, field: str) -> None:
    _refused(_post(person, "/auth/tokens", text), field)


@pytest.mark.parametrize("text", ["{", "", "'a'", '{"name": }', b'{"name": "\xff"}', b"\xff\xfe"])
def test_what_is_no_json_is_refused_as_such(person: Person, text: str | bytes) -> None:
    answer = _post(person, "/auth/tokens", text)
    assert answer.status_code in {400, 422}
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_of_another_kind_is_refused(person: Person) -> None:
    answer = person.client.post("/auth/tokens", content=b'{"name": "a"}', headers={"Content-Type": "text/plain"})
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/experiments?search=%00", "search"),
        ("/experiments?start=9223372036854775808", "start"),
        ("/experiments?start=-1", "start"),
        ("/experiments?limit=" + "9" * 400, "limit"),
        ("/experiments?limit=" + "9" * 5000, "limit"),
        ("/experiments?limit=NaN", "limit"),
        ("/runs?start=" + str(2**31), "start"),
        ("/runs?experiment_id=%00", "experiment_id"),
        ("/templates/%00", "path"),
        (f"/experiments/{_NOWHERE}/versions/{2**31}", "number"),
        (f"/experiments/{_NOWHERE}/versions/{'9' * 400}", "number"),
        (f"/trials/{_NOWHERE}/series?points=1e9", "points"),
        (f"/trials/{_NOWHERE}/series?keys=%00", "keys"),
    ],
)
def test_an_address_is_refused_at_its_field(person: Person, path: str, field: str) -> None:
    _refused(person.client.get(path), field)


def test_a_position_beyond_all_is_refused(person: Person) -> None:
    answer = person.client.get(f"/runs/{_NOWHERE}/live", headers={"Last-Event-ID": "9" * 400})
    assert answer.status_code == 422


@pytest.mark.parametrize("email", ["<script>alert(1)</script>@x", "a b@c", "a@", "a\u202e@b", "a@b@c", 'a"@b', "a,b@c"])
def test_an_address_that_is_none_makes_no_account(person: Person, email: str) -> None:
    _refused(person.client.post("/accounts", json={"email": email, "role": "viewer"}), "email")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"parameters": {"blocks": True}}, "parameters.blocks"),
        ({"parameters": {"blocks": 10**300}}, "parameters.blocks"),
        ({"parameters": {"blocks": 10**400}}, "parameters.blocks"),
        ({"parameters": {"blocks": 2**63}}, "parameters.blocks"),
    ],
)
def test_a_templates_number_is_refused_at_its_field(person: Person, change: dict[str, Any], field: str) -> None:
    body = {"name": "x", "template_key": "reuseport", **change}
    _refused(person.client.post("/experiments", json=body), field)


def test_text_of_several_lines_stays_as_it_is(person: Person) -> None:
    experiment = person.experiment()
    definition = experiment["definition"] | {"question": "Which\n\tis faster – ä, 日本, 👩‍💻?"}
    body = {"base_version": 1, "definition": definition}
    answer = person.client.put(f"/experiments/{experiment['id']}/definition", json=body)
    assert answer.json()["definition"]["question"] == definition["question"]


def test_the_reason_is_the_same_in_a_yaml_document(person: Person) -> None:
    definition = person.experiment()["definition"]
    text = json.dumps(definition | {"question": "a\u202eb"}, ensure_ascii=True)
    answer = person.client.post("/experiments/import?name=x", content=text, headers={"Content-Type": "text/yaml"})
    _refused(answer, "question")
