"""nginx and wrk as they describe themselves."""

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngxlab_worker.inventory import nginx, wrk
from ngxlab_worker.inventory.programs import ProgramError, existing

Golden = Callable[[str], str]
Program = Callable[[str, str], str]


def test_debians_nginx(golden: Golden) -> None:
    version, arguments = nginx.parse_build(golden("nginx_v_debian"))
    assert version == "nginx/1.22.1"
    assert arguments[1] == "--with-ld-opt=-Wl,-z,relro -Wl,-z,now -fPIC"
    assert arguments[-1] == "--with-stream_geoip_module=dynamic"
    modules = nginx.static_modules(arguments)
    assert {"http_stub_status_module", "http_v2_module", "stream_ssl_preread_module"} <= set(modules)
    assert "http_perl_module" not in modules, "dynamic: it counts only where its file lies"
    assert nginx.modules_folder(arguments) == Path("/usr/lib/nginx/modules")


def test_tengine(golden: Golden) -> None:
    version, arguments = nginx.parse_build(golden("nginx_v_tengine"))
    assert version == "Tengine/2.3.2 (nginx/1.17.3)"
    assert nginx.static_modules(arguments) == [
        "http_ssl_module",
        "http_stub_status_module",
        "stream_ssl_module",
        "http_upstream_check_module",
        "http_upstream_dyups_module",
        "nginx-module-vts",
    ]
    assert nginx.modules_folder(arguments) == Path("/opt/tengine/modules")


def test_nginx_org(golden: Golden) -> None:
    version, arguments = nginx.parse_build(golden("nginx_v_nginx_org"))
    assert version == "nginx/1.26.2"
    assert arguments[-1] == "--with-ld-opt=-Wl,-z,relro -Wl,-z,now -Wl,--as-needed -pie"
    assert "http_v3_module" in nginx.static_modules(arguments)


def test_a_build_without_arguments() -> None:
    build = nginx.parse_build("nginx version: nginx/1.27.0 (custom)\nbuilt by clang\nconfigure arguments:\n")
    assert build == nginx.Build("nginx/1.27.0 (custom)", [])
    assert nginx.modules_folder([]) == Path("/usr/local/nginx/modules")


@given(text=st.text(max_size=200))
def test_any_text_is_a_build_or_a_program_error(text: str) -> None:
    for candidate in (text, f"nginx version: nginx/1\nconfigure arguments: {text}"):
        with suppress(ProgramError):
            assert nginx.parse_build(candidate).version
    with suppress(ProgramError):
        assert wrk.parse_version(f"wrk {text}")


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


def test_configured_binaries_are_looked_at_and_refusals_explained(program: Program, golden: Golden) -> None:
    text = golden("nginx_v_tengine")
    tengine = program("tengine", f"cat >&2 <<'END'\n{text}END")
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
    monkeypatch.setattr("ngxlab_worker.inventory.programs._TIMEOUT_S", 0.1)
    silent = program("silent", "exec sleep 600")
    _, refused = nginx.find([silent])
    assert refused == {silent: "no answer to -V within 0.1 s"}


def test_a_file_of_many_names_is_found_once(program: Program, tmp_path: Path) -> None:
    path = program("nginx", "")
    (tmp_path / "link").symlink_to(path)
    assert existing([path, str(tmp_path / "link"), path]) == [path]


def test_wrk(golden: Golden) -> None:
    assert wrk.parse_version(golden("wrk_v_debian")) == "debian/4.1.0-3+b2"
    assert wrk.parse_version("wrk 4.2.0 [epoll] Copyright (C) 2012 Will Glozer\n") == "4.2.0"


def test_the_wrk_of_this_host() -> None:
    found, detail = wrk.find()
    assert found is not None
    assert found.version in detail
    assert found.sha256 == sha256(Path(found.path).read_bytes()).hexdigest()


def test_without_wrk(monkeypatch: pytest.MonkeyPatch, program: Program, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert wrk.find() == (None, "no wrk on PATH: install the package wrk")
    path = program("wrk", "echo no idea")
    assert wrk.find() == (None, f"{path}: its -v names no version of wrk")
