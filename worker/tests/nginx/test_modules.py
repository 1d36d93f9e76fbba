"""Modules that a configuration names itself, in a real nginx in the sandbox."""

import shutil
from pathlib import Path
from urllib.request import urlopen
from uuid import uuid4

import pytest
from ngxlab_contracts.trials import NginxSpec
from ngxlab_policy.document import named_files
from ngxlab_worker.nginx.process import NginxError
from ngxlab_worker.nginx.server import NginxServer
from ngxlab_worker.sandbox import Isolation, Sandbox, resolve_run_as
from ngxlab_worker.trial.folder import make_folder
from tests.support.specs import CONFIG, NGINX

NDK = Path("/usr/lib/nginx/modules/ndk_http_module.so")


def server(config: str, folder: Path, user: str | None, isolation: Isolation) -> NginxServer:
    run_as = resolve_run_as(user)
    spec = NginxSpec(binary=NGINX, config=config, workers=2)
    return NginxServer(spec, make_folder(folder, uuid4(), run_as), Sandbox(isolation, run_as), lambda _: None)


def loaded(nginx: NginxServer) -> str:
    return Path(f"/proc/{nginx.master}/maps").read_text()


def test_a_named_module_is_loaded(agent_folder: Path, user: str | None, isolation: Isolation) -> None:
    nginx = server(f"load_module {NDK};\n{CONFIG}", agent_folder, user, isolation)
    nginx.configure()
    nginx.start(60)
    try:
        assert NDK.name in loaded(nginx)
    finally:
        nginx.stop()


def test_a_module_outside_of_usr_is_there_too(agent_folder: Path, user: str | None, isolation: Isolation) -> None:
    own = agent_folder / "opt" / "own_module.so"
    own.parent.mkdir(mode=0o755)
    shutil.copyfile(NDK, own)
    own.chmod(0o644)
    nginx = server(f"load_module {own};\n{CONFIG}", agent_folder, user, isolation)
    nginx.configure()
    nginx.start(60)
    try:
        assert own.name in loaded(nginx)
    finally:
        nginx.stop()


@pytest.mark.parametrize("main", ["", "load_module /usr/lib/nginx/modules/ngx_http_brotli_filter_module.so;\n"])
def test_the_module_of_a_directive_is_loaded_once(
    main: str, agent_folder: Path, user: str | None, isolation: Isolation
) -> None:
    config = f"@@modules@@\n{main}" + CONFIG.replace("http {", "http { brotli on; brotli_min_length 1;", 1)
    nginx = server(config, agent_folder, user, isolation)
    nginx.configure()
    nginx.start(60)
    try:
        assert "ngx_http_brotli_filter_module.so" in loaded(nginx)
    finally:
        nginx.stop()


def test_a_module_that_is_not_there_is_named(agent_folder: Path, user: str | None, isolation: Isolation) -> None:
    nginx = server(f"load_module /usr/lib/nginx/modules/gone.so;\n{CONFIG}", agent_folder, user, isolation)
    with pytest.raises(NginxError, match=r"/usr/lib/nginx/modules/gone\.so is missing") as caught:
        nginx.configure()
    assert caught.value.code == "nginx-module-missing"


LUA = NDK.with_name("ngx_http_lua_module.so")
WITH_LUA = f"load_module {NDK};\nload_module {LUA};\n{CONFIG}"


def test_code_of_a_file_that_the_owner_names_is_run(agent_folder: Path, user: str | None, isolation: Isolation) -> None:
    """nginx sees the file, although it is none of the trial's folder."""
    code = agent_folder / "own" / "hello.lua"
    code.parent.mkdir(mode=0o755)
    code.write_text("ngx.say('hello ' .. 6 * 7)\n")
    config = WITH_LUA.replace('return 200 "OK\\n";', f"content_by_lua_file {code};")
    assert named_files(config) == (str(code),)
    nginx = server(config, agent_folder, user, isolation)
    nginx.configure()
    nginx.start(60)
    try:
        (port,) = nginx.values.http_ports
        with urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
            assert answer.read() == b"hello 42\n"
    finally:
        nginx.stop()
    code.unlink()
    with pytest.raises(NginxError, match="is missing: the owner of the host allows it"):
        server(config, agent_folder, user, isolation).configure()


def test_paths_of_nginxs_own_directives_are_no_code() -> None:
    data = "map $uri $x { /a /b; } location /usr { try_files /bin /sbin; }"
    assert named_files(CONFIG.replace("access_log off;", data)) == ()
