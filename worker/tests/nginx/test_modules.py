"""Modules that a configuration names itself, in a real nginx in the sandbox."""

import shutil
from pathlib import Path
from uuid import uuid4

import pytest
from ngxlab_contracts.trials import NginxSpec
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


def test_a_module_that_is_not_there_is_named(agent_folder: Path, user: str | None, isolation: Isolation) -> None:
    nginx = server(f"load_module /usr/lib/nginx/modules/gone.so;\n{CONFIG}", agent_folder, user, isolation)
    with pytest.raises(NginxError, match=r"/usr/lib/nginx/modules/gone\.so is missing") as caught:
        nginx.configure()
    assert caught.value.code == "nginx-module-missing"
