"""``nginx -V`` of real builds, Tengine's and nginx.org's in their format, Debian's as captured (golden/)."""

from contextlib import suppress
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from ngxlab_worker.core.programs import ProgramError
from ngxlab_worker.nginx.build import Build, modules_folder, parse_build, static_modules


def golden(name: str) -> str:
    return (Path(__file__).parent / "golden" / name).read_text(encoding="utf-8")


def test_debians_nginx() -> None:
    version, arguments = parse_build(golden("nginx_v_debian"))
    assert version == "nginx/1.22.1"
    assert arguments[1] == "--with-ld-opt=-Wl,-z,relro -Wl,-z,now -fPIC"
    assert arguments[-1] == "--with-stream_geoip_module=dynamic"
    modules = static_modules(arguments)
    assert {"http_stub_status_module", "http_v2_module", "stream_ssl_preread_module"} <= set(modules)
    assert "http_perl_module" not in modules, "dynamic: it counts only where its file lies"
    assert modules_folder(arguments) == Path("/usr/lib/nginx/modules")


def test_tengine() -> None:
    version, arguments = parse_build(golden("nginx_v_tengine"))
    assert version == "Tengine/2.3.2 (nginx/1.17.3)"
    assert static_modules(arguments) == [
        "http_ssl_module",
        "http_stub_status_module",
        "stream_ssl_module",
        "stream_module",
        "http_upstream_check_module",
        "http_upstream_dyups_module",
        "nginx-module-vts",
    ]
    assert modules_folder(arguments) == Path("/opt/tengine/modules")


def test_lua_goes_by_one_name() -> None:
    folders = [
        "/src/lua-nginx-module-0.10.26",
        "../ngx_lua-0.10.26",
        "modules/ngx_http_lua_module",
        "/src/ngx_devel_kit",
    ]
    modules = static_modules([f"--add-module={folder}" for folder in folders])
    assert modules == ["http_lua_module"] * 3 + ["ndk_http_module"]


def test_nginx_org() -> None:
    version, arguments = parse_build(golden("nginx_v_nginx_org"))
    assert version == "nginx/1.26.2"
    assert arguments[-1] == "--with-ld-opt=-Wl,-z,relro -Wl,-z,now -Wl,--as-needed -pie"
    assert "http_v3_module" in static_modules(arguments)


def test_a_build_without_arguments() -> None:
    build = parse_build("nginx version: nginx/1.27.0 (custom)\nbuilt by clang\nconfigure arguments:\n")
    assert build == Build("nginx/1.27.0 (custom)", [])
    assert modules_folder([]) == Path("/usr/local/nginx/modules")


@given(text=st.text(max_size=200))
def test_any_text_is_a_build_or_a_program_error(text: str) -> None:
    for candidate in (text, f"nginx version: nginx/1\nconfigure arguments: {text}"):
        with suppress(ProgramError):
            assert parse_build(candidate).version
