"""A real backend, somebody with a token, and ``ngxlab`` as they call it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from harness import Backend, Person
from tests.support.real_backend import running_backend


@dataclass
class Caller:
    """A person at a shell of their own: ``environment`` has the address and their token."""

    person: Person
    environment: dict[str, str]
    command: tuple[str, ...] = (sys.executable, "-m", "ngxlab_worker.cli")
    started: list["subprocess.Popen[str]"] = field(default_factory=list)

    def start(self, *arguments: str, **changes: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [*self.command, *arguments],
            env={**self.environment, **changes},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def ngxlab(self, *arguments: str, **changes: str) -> "subprocess.CompletedProcess[str]":
        process = self.start(*arguments, **changes)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def make_token(person: Person) -> str:
    answer: dict[str, Any] = person.client.post("/auth/tokens", json={"name": "cli"}).raise_for_status().json()
    token: str = answer["token"]
    return token


@pytest.fixture(scope="session")
def lab() -> Iterator[Backend]:
    with running_backend() as lab:
        yield lab


@pytest.fixture
def caller(lab: Backend, tmp_path: Path) -> Iterator[Caller]:
    person = lab.person()
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NGXLAB_")}
    environment |= {"NGXLAB_URL": lab.url, "NGXLAB_TOKEN": make_token(person), "XDG_CONFIG_HOME": str(tmp_path)}
    caller = Caller(person, environment)
    yield caller
    for process in caller.started:
        process.kill()
        process.communicate()
