"""Tests that passed only when they ran again are told and counted."""

import json
from pathlib import Path

import pytest

from scripts import reruns


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which pytest keeps what failed."""
    monkeypatch.setattr(reruns, "FAILED", tmp_path / "lastfailed")
    monkeypatch.setattr(reruns, "NOTED", tmp_path / "ran-twice")
    return tmp_path / "lastfailed"


def test_they_are_told_with_their_number_over_all_parts_of_a_run(session: Path) -> None:
    session.write_text(json.dumps({"backend/tests/a.py::one": True, "e2e/b.py::of_an_earlier_session": True}))
    assert reruns.main("note", "scripts/tests", "backend/tests") == ""
    session.write_text(json.dumps({"e2e/c.py::two": True}))
    reruns.main("note", "e2e")
    assert reruns.main("tell") == "2 tests ran twice:\n  backend/tests/a.py::one\n  e2e/c.py::two\n"
    reruns.main("forget")
    assert reruns.main("tell") == "0 tests ran twice.\n"


def test_one_is_told_as_one(session: Path) -> None:
    session.write_text(json.dumps({"e2e/c.py::two": True}))
    reruns.main("note", "e2e")
    assert reruns.main("tell") == "1 test ran twice:\n  e2e/c.py::two\n"
