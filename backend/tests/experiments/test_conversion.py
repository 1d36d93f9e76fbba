"""Configurations of somebody's own over HTTP: what an experiment makes of them, and what is refused."""

from typing import Any
from uuid import uuid4

import pytest
from harness import Backend, Person
from ngxlab.accounts.models import Role

CONFIGURATION = "server { listen 80; root /var/www; proxy_set_header X-Key ********; location / { gzip on; } }"


@pytest.fixture(scope="module")
def person(backend: Backend) -> Person:
    return backend.person(Role.experimenter)


def asked(*texts: str, **more: Any) -> dict[str, Any]:
    named = [{"name": "mine.conf", "files": [{"path": "mine.conf", "text": text}]} for text in texts]
    return {"configurations": named, **more}


def test_two_become_an_experiment_that_can_be_saved(person: Person) -> None:
    body = asked(CONFIGURATION, CONFIGURATION.replace("gzip on", "gzip off"))
    made = person.client.post("/experiments/conversion", json=body).raise_for_status().json()
    assert [one["title"] for one in made["changes"]] == ["gzip on → gzip off"]
    assert made["name"] == "mine.conf (old) or mine.conf (new)"
    first = made["configurations"][0]
    assert (first["kept"], first["replaced"], first["dropped"], first["masked"]) == (4, 2, 0, 1)
    assert len(first["lines"]) == 6
    root = next(line for line in first["lines"] if line["text"].startswith("root"))
    assert root == {
        "file": "mine.conf",
        "line": 1,
        "text": "root /var/www",
        "action": "replaced",
        "reason": "files of like sizes are made for each trial",
        "becomes": ["default_type text/html;", "root @@folder@@/files;"],
        "masked": False,
    }
    saved = person.client.post("/experiments", json={"name": "x", "definition": made["definition"]})
    assert saved.status_code == 201
    imported = person.client.post("/experiments/import", json={"yaml": made["yaml"]})
    assert imported.json()["definition"] == saved.json()["definition"]


def test_what_is_words_has_its_parts_so_that_it_can_be_said_in_another_language(person: Person) -> None:
    body = asked(CONFIGURATION, CONFIGURATION.replace("gzip on", "gzip off; tcp_nodelay off"), arms="each")
    made = person.client.post("/experiments/conversion", json=body).raise_for_status().json()
    words = {one if isinstance(one, str) else one["text"] for one in made["words"]}
    definition = made["definition"]
    arms = {arm["label"] for arm in definition["design"]["arms"]}
    assert {"old", "new", "only gzip on → gzip off"} <= arms <= words
    assert {definition["question"], made["name"]} <= words
    assert made["plan"]["trials"] == len(arms) * definition["plan"]["blocks"]


def test_the_host_says_its_workers_and_its_nginx(backend: Backend, person: Person) -> None:
    agent = backend.agent()
    text = "worker_processes auto; http { server { listen 443 ssl; max_headers 9; return 204; } }"
    open_ = person.client.post("/experiments/conversion", json=asked(text)).raise_for_status().json()
    assert open_["questions"] == ["workers"]
    body = asked(text, host_id=str(agent.host_id))
    made = person.client.post("/experiments/conversion", json=body).raise_for_status().json()
    assert made["questions"] == []
    assert made["workers"] == person.client.get(f"/hosts/{agent.host_id}").json()["cpu_logical"]
    lines = {line["text"]: line for line in made["configurations"][0]["lines"]}
    assert lines["max_headers 9"]["reason"]["text"] == "nginx 1.22.1 does not have it"


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (asked("server {"), 422, "mine.conf, line 1: the block of server is not closed"),
        (asked(CONFIGURATION, CONFIGURATION), 422, "are the same once they are an experiment's"),
        (asked(CONFIGURATION, host_id=str(uuid4())), 404, "no such host"),
        (asked("#" * (1 << 20), "#"), 422, "more than 1,048,576 characters"),
        (asked(), 422, "configurations"),
    ],
)
def test_what_is_refused_says_why(person: Person, body: dict[str, Any], status: int, said: str) -> None:
    answer = person.client.post("/experiments/conversion", json=body)
    assert answer.status_code == status
    assert said in answer.text
