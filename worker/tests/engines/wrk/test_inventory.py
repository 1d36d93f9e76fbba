"""The wrk of this host, and whether its memory may be read."""

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngxlab_worker.core.programs import ProgramError
from ngxlab_worker.engines.wrk.inventory import find_wrk, judge_wrk_memory, parse_version

Program = Callable[[str, str], str]


def test_versions() -> None:
    assert parse_version((Path(__file__).parent / "golden/wrk_v_debian").read_text()) == "debian/4.1.0-3+b2"
    assert parse_version("wrk 4.2.0 [epoll] Copyright (C) 2012 Will Glozer\n") == "4.2.0"


def test_the_wrk_of_this_host() -> None:
    found, detail = find_wrk()
    assert found is not None
    assert found.version in detail
    assert found.sha256 == sha256(Path(found.path).read_bytes()).hexdigest()


def test_without_wrk(monkeypatch: pytest.MonkeyPatch, program: Program, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_wrk() == (None, "no wrk on PATH: install the package wrk")
    path = program("wrk", "echo no idea")
    assert find_wrk() == (None, f"{path}: its -v names no version of wrk")


HELP = "--connections --duration --threads --script --header --latency --timeout"


def said(program: Program, version: str, options: str) -> str:
    return program("wrk", f'case "$1" in -v) echo "{version}";; *) echo "{options}";; esac')


def test_a_build_without_a_version_is_known_by_its_options(
    monkeypatch: pytest.MonkeyPatch, program: Program, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    path = said(program, "wrk  [epoll] Copyright (C) 2012 Will Glozer", HELP)
    found, detail = find_wrk()
    assert found is not None
    assert detail == f"wrk without a version at {path}"
    said(program, "wrk  [epoll] Copyright (C) 2012 Will Glozer", HELP.replace("--script", ""))
    assert find_wrk() == (None, f"{path}: its help names no --script")


def test_wrk2_is_not_taken_for_wrk(monkeypatch: pytest.MonkeyPatch, program: Program, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    said(program, "wrk 4.0.0 [epoll] Copyright (C) 2012 Will Glozer", f"{HELP} -R, --rate")
    found, detail = find_wrk()
    assert found is None
    assert "it is wrk2, which needs a constant rate" in detail


@given(text=st.text(max_size=200))
def test_any_text_is_a_version_or_a_program_error(text: str) -> None:
    with suppress(ProgramError):
        assert parse_version(f"wrk {text}")


@pytest.mark.parametrize(
    ("ptrace_scope", "can_ptrace", "is_root", "available", "remedy"),
    [
        (None, True, True, True, ""),
        ("2", True, False, True, ""),
        ("3", True, True, False, "set it to 1 at boot"),
        ("2", False, False, False, "set it to 1, or give the agent CAP_SYS_PTRACE"),
        ("1", False, False, True, ""),
        (None, False, False, True, "absent"),
        ("0", False, True, False, "add that capability"),
    ],
)
def test_reading_wrks_memory(
    ptrace_scope: str | None, *, can_ptrace: bool, is_root: bool, available: bool, remedy: str
) -> None:
    verdict, detail = judge_wrk_memory(ptrace_scope, can_ptrace=can_ptrace, is_root=is_root)
    assert verdict is available
    assert remedy in detail
