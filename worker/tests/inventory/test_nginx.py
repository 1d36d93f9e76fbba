"""nginx binaries of this host, and programs that are not what they seem."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from ngxlab_worker.core.programs import existing
from ngxlab_worker.inventory import nginx

Program = Callable[[str, str], str]
TENGINE = (Path(__file__).parent.parent / "nginx/golden/nginx_v_tengine").read_text(encoding="utf-8")


def test_dynamic_modules_are_files(tmp_path: Path) -> None:
    for name in ("ngx_http_lua_module.so", "ndk_http_module.so", "README"):
        (tmp_path / name).touch()
    assert nginx.dynamic_modules(tmp_path) == ["http_lua_module", "ndk_http_module"]
    assert nginx.dynamic_modules(tmp_path / "nowhere") == []


def test_the_nginx_of_this_host() -> None:
    found, refused = nginx.find()
    assert refused == {}
    (binary,) = [binary for binary in found if binary.path == "/usr/sbin/nginx"]
    assert binary.version.startswith("nginx/1.")
    assert "http_stub_status_module" in binary.modules
    assert binary.sha256 == sha256(Path(binary.path).read_bytes()).hexdigest()


def test_configured_binaries_are_looked_at_and_refusals_explained(program: Program) -> None:
    tengine = program("tengine", f"cat >&2 <<'END'\n{TENGINE}END")
    other = program("other", "echo hello")
    plain = program("plain", "")
    Path(plain).chmod(0o644)
    found, refused = nginx.find([tengine, other, plain, "/nowhere/nginx", "bad\0name"])
    assert "Tengine/2.3.2 (nginx/1.17.3)" in [binary.version for binary in found]
    assert refused == {
        other: "its -V names no version",
        plain: "Permission denied",
        "/nowhere/nginx": "no such file",
        "bad\0name": "no such file",
    }


def test_a_program_that_does_not_answer(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ngxlab_worker.core.programs._TIMEOUT_S", 0.1)
    silent = program("silent", "exec sleep 600")
    _, refused = nginx.find([silent])
    assert refused == {silent: "no answer to -V within 0.1 s, asked 2 times"}


def test_a_program_that_was_suspended_while_it_answered_is_asked_again(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ngxlab_worker.core.programs._TIMEOUT_S", 2)
    asked = tmp_path / "asked"
    path = program("late", f"test -e {asked} || {{ touch {asked}; exec sleep 600; }}\ncat >&2 <<'END'\n{TENGINE}END")
    found, refused = nginx.find([path])
    assert refused == {}
    assert path in [binary.path for binary in found]


def test_a_file_of_many_names_is_found_once(program: Program, tmp_path: Path) -> None:
    path = program("nginx", "")
    (tmp_path / "link").symlink_to(path)
    assert existing([path, str(tmp_path / "link"), path]) == [path]
