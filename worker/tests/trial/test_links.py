"""An nginx that puts links in the place of the files that the agent reads and writes with more rights than it has."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from ngxlab_contracts.trials import DynamicUpstreams, Endpoint, UpstreamGroup
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.confinement.bounds import Bounds, refused
from ngxlab_worker.core.files import open_regular
from ngxlab_worker.sandbox import resolve_run_as
from ngxlab_worker.trial.folder import make_workplace
from ngxlab_worker.upstream_groups import write_stand_ins
from tests.support.fake_backend import FakeBackend
from tests.support.specs import trial_spec

IMPOSTOR = """\
#!/usr/bin/python3
import os, sys
BUILD = "nginx version: nginx/1.22.1\\nconfigure arguments: --with-http_stub_status_module"
if "-V" in sys.argv or "-t" in sys.argv:
    sys.exit(print(BUILD, file=sys.stderr))
folder = sys.argv[2]
for name in NAMES:
    path = os.path.join(folder, name)
    for make_room in (lambda: os.rename(path, path + ".old"), lambda: os.unlink(path)):
        try:
            make_room()
        except OSError:
            pass
    try:
        os.symlink(SECRET, path)
    except OSError:
        pass
"""
NAMES = ["nginx.conf", "error.log", "access.log", "nginx.err", "nginx.out", "test.err", "build.err", "stream-0"]
SECRET = "of root alone"

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="the agent has no more rights than its children")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text(SECRET)
    path.chmod(0o600)
    return path


@root_only
def test_what_root_alone_may_read_stays_with_root(agent: Agent, backend: FakeBackend, secret: Path) -> None:
    binary = agent.settings.folder / "impostor"
    binary.write_text(IMPOSTOR.replace("NAMES", json.dumps(NAMES)).replace("SECRET", repr(str(secret))))
    binary.chmod(0o755)
    caps = agent.settings.folder / "caps.toml"
    caps.write_text(f'allow_unsandboxed_nginx = true\nnginx = ["{binary}"]\n')
    spec = trial_spec()
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"binary": str(binary), "request_times": True})
    record = backend.add(spec.model_copy(update={"nginx": nginx}))
    agent.execute(record.spec.trial_id)
    assert record.end is not None
    assert record.end.code == "nginx-died"
    assert SECRET not in repr(record.events)
    assert secret.read_text() == SECRET


@root_only
def test_what_is_written_while_nginx_runs_follows_no_link(agent_folder: Path, user: str | None, secret: Path) -> None:
    folder = make_workplace(agent_folder / "trial", resolve_run_as(user))
    (folder / "upstreams.conf.new").symlink_to(secret)
    groups = DynamicUpstreams(through="file", groups=[UpstreamGroup(name="app", endpoint="upstream.app", nodes=1)])
    write_stand_ins(groups, folder, Endpoint(name="any", address="127.0.0.1", ports=[9]))
    assert "upstream app" in (folder / "upstreams.conf").read_text()
    assert secret.read_text() == SECRET


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("/etc/passwd"), os.mkfifo, Path.mkdir])
def test_only_regular_files_are_opened(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "file")
    for flags in (os.O_RDONLY, os.O_WRONLY | os.O_APPEND | os.O_CREAT):
        with pytest.raises(OSError, match=r"symbolic links|not a regular file|No such device|Is a directory"):
            open_regular(tmp_path / "file", flags)


def test_a_linked_folder_is_no_part_of_the_trial(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "error.log").write_text("malloc(1) failed (12: Cannot allocate memory)")
    (tmp_path / "trial").mkdir()
    (tmp_path / "trial" / "upstream-0").symlink_to(tmp_path / "elsewhere")
    assert refused(tmp_path / "trial", Bounds(1, 1, 1)) is None
