"""What programs look for in /etc is there, is made for them, and tells nothing of this host."""

from pathlib import Path

import pytest
from ngxlab_worker.sandbox import Command, Isolation, Sandbox, resolve_run_as
from ngxlab_worker.sandbox.launcher import FILES, NOBODY_ANSWERS


def printed(folder: Path, user: str | None, script: str) -> str:
    """What a shell prints in a namespace."""
    out = folder / "out"
    command = Command(("/bin/sh", "-c", script), folder, out, folder / "err", brief=True)
    child = Sandbox(Isolation.NAMESPACE, resolve_run_as(user)).spawn(command)
    child.wait(60)
    child.kill()
    assert (folder / "err").read_text() == ""
    return out.read_text()


@pytest.fixture
def folder(agent_folder: Path) -> Path:
    agent_folder.chmod(0o777)
    return agent_folder


@pytest.mark.parametrize("name", FILES)
def test_what_a_program_insists_on_is_there(folder: Path, user: str | None, name: str) -> None:
    assert printed(folder, user, f"cat {name}") == FILES[name]


def test_again_and_again(folder: Path, user: str | None) -> None:
    for _ in range(3):
        (folder / "out").unlink(missing_ok=True)
        assert NOBODY_ANSWERS in printed(folder, user, "cat /etc/resolv.conf")


def test_nothing_else_of_this_host_is(folder: Path, user: str | None) -> None:
    listed = printed(folder, user, "cd / && find etc -type f").split()
    assert {f"/{path}" for path in listed} - {"/etc/ld.so.cache"} == set(FILES)


def test_it_cannot_be_changed(folder: Path, user: str | None) -> None:
    assert printed(folder, user, "if echo x 2>&- >>/etc/hosts; then echo written; fi 2>/dev/null") == ""


def test_users_of_packages_have_names_and_others_none(folder: Path, user: str | None) -> None:
    said = printed(folder, user, "getent passwd nobody nginx www-data | cut -d: -f1; getent hosts a.example || echo no")
    assert said.split() == ["nobody", "nginx", "www-data", "no"]
