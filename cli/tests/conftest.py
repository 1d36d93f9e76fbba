"""A real backend, and somebody with a token."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import Backend, Person
from tests.support.caller import Caller
from tests.support.real_backend import running_backend

_OF_JOBS = ("NGXLAB_", "GITHUB_", "GITLAB_", "CI_")


@pytest.fixture(scope="session")
def lab() -> Iterator[Backend]:
    with running_backend() as lab:
        yield lab


@pytest.fixture
def caller(lab: Backend, tmp_path: Path) -> Iterator[Caller]:
    person = lab.person()
    environment = {key: value for key, value in os.environ.items() if not key.startswith(_OF_JOBS)}
    environment |= {"NGXLAB_URL": lab.url, "NGXLAB_TOKEN": _make_token(person), "XDG_CONFIG_HOME": str(tmp_path)}
    caller = Caller(person, environment)
    yield caller
    for process in caller.started:
        process.kill()
        process.communicate()


def _make_token(person: Person) -> str:
    answer: dict[str, Any] = (
        person.client.post("/auth/tokens", json={"name": "cli", "scope": "administer"}).raise_for_status().json()
    )
    token: str = answer["token"]
    return token
