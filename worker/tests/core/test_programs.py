"""The checksum of a program is read once, and again as soon as the file is another."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from ngxlab_worker.core import programs


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The checksums that were read from files."""
    found: list[str] = []
    digest = hashlib.file_digest

    def noted(file: Any, name: str) -> Any:
        found.append(Path(file.name).name)
        return digest(file, name)

    monkeypatch.setattr(hashlib, "file_digest", noted)
    monkeypatch.setattr(programs, "_SETTLED_S", -1.0)
    return found


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_file_that_stays_as_it_is_is_read_once(tmp_path: Path, reads: list[str]) -> None:
    program = tmp_path / "nginx"
    program.write_bytes(b"one")
    assert [programs.sha256(str(program)) for _ in range(3)] == [_sum(b"one")] * 3
    assert reads == ["nginx"]


@pytest.mark.parametrize("how", ["written", "replaced"])
def test_another_content_is_noticed(tmp_path: Path, reads: list[str], how: str) -> None:
    program, other = tmp_path / "nginx", tmp_path / "other"
    program.write_bytes(b"one")
    assert programs.sha256(str(program)) == _sum(b"one")
    other.write_bytes(b"two!")
    if how == "written":
        program.write_bytes(b"two!")
    else:
        other.rename(program)
    assert programs.sha256(str(program)) == _sum(b"two!")
    assert len(reads) == 2


def test_what_was_changed_just_now_is_read_again(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "_SETTLED_S", 60.0)
    program = tmp_path / "nginx"
    program.write_bytes(b"one")
    assert {programs.sha256(str(program)) for _ in range(2)} == {_sum(b"one")}
    assert len(reads) == 2
