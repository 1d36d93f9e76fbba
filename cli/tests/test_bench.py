"""``ngxlab bench``: two files, one verdict, and no secret on the way."""

import json
from pathlib import Path

import pytest
from harness import Agent, Backend
from ngxlab_cli.bench import _of_one, files_of
from ngxlab_cli.models import ConvertedConfiguration
from services import wait_until
from tests.support.caller import Caller
from tests.support.driving import drive, ended

MAIN = """
worker_processes auto;
http {
    include /etc/nginx/conf.d/*.conf;
    include ../outside.conf;
    include /etc/passwd;
}
"""
SITE = """
server {
    listen 80;
    proxy_set_header Authorization "Bearer s3cret-of-mine"; # and another s3cret
    location / { gzip GZIP; proxy_pass http://10.0.0.1; }
}
"""


@pytest.fixture
def agent(lab: Backend) -> Agent:
    return lab.agent()


def folder(at: Path, gzip: str) -> Path:
    (at / "conf.d").mkdir(parents=True)
    (at / "nginx.conf").write_text(MAIN)
    (at / "conf.d" / "site.conf").write_text(SITE.replace("GZIP", gzip))
    (at / "conf.d" / ".hidden.conf").write_text("nonsense")
    (at / "conf.d" / "server.key").write_text("s3cret")
    (at.parent / "outside.conf").write_text("nonsense")
    return at


def test_only_what_is_included_is_read_and_no_secret(tmp_path: Path) -> None:
    found = {one.path: one.text for one in files_of(folder(tmp_path / "old", "on"))}
    assert list(found) == ["nginx.conf", "conf.d/site.conf"]
    assert "s3cret" not in "".join(found.values())
    assert '"Bearer ********"; #\n' in found["conf.d/site.conf"]


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    made = folder(tmp_path / "old", "on")
    (tmp_path / "elsewhere.conf").write_text("token abc;")
    (tmp_path / "old" / "conf.d" / "linked.conf").symlink_to(tmp_path / "elsewhere.conf")
    assert [one.path for one in files_of(made)] == ["nginx.conf", "conf.d/site.conf"]


def test_two_files_one_verdict(caller: Caller, lab: Backend, agent: Agent, tmp_path: Path) -> None:
    old, new = (folder(tmp_path / name, gzip) for name, gzip in (("old", "off"), ("new", "on")))
    process = caller.start("bench", str(old), str(new), "--host", agent.name, "--json", "--quiet")

    def queued() -> list[str]:
        assert process.poll() is None, process.communicate()
        runs = caller.person.client.get("/runs").json()["items"]
        return [run["id"] for run in runs if run["hosts"] == [agent.name]]

    wait_until(lambda: bool(queued()), "the run being queued")
    drive(lab, agent, queued()[0])
    code, out, err = ended(process)
    document = json.loads(out)
    assert (code, err) == (document["exit_code"], "")
    assert document["run"]["state"] == "completed"
    assert [arm["label"] for arm in document["arms"]] == ["old", "new"]


def test_what_becomes_of_each_line_is_shown(caller: Caller, agent: Agent, tmp_path: Path) -> None:
    old, new = (folder(tmp_path / name, gzip) for name, gzip in (("before", "off"), ("after", "on")))
    code, out, err = ended(caller.start("bench", str(old), str(new), "--host", agent.name, "--show"))
    assert (code, err) == (0, "")
    assert "gzip off → gzip on" in out
    assert "no file that was given is ../outside.conf" in out
    assert "1 with a secret taken out" in out
    assert caller.person.client.get("/experiments", params={"search": "before or after"}).json()["items"] == []


def test_lines_that_became_the_same_in_both_are_told_once() -> None:
    def line(text: str, action: str) -> dict[str, object]:
        return {"file": "a", "line": 1, "text": text, "action": action, "reason": None, "becomes": [], "masked": False}

    def one(name: str, *lines: dict[str, object]) -> ConvertedConfiguration:
        counts = {"kept": 0, "replaced": 0, "dropped": len(lines), "masked": 0, "server": 0, "servers": []}
        return ConvertedConfiguration.model_validate({"name": name, "lines": list(lines), **counts})

    same, own = line("user www-data", "dropped"), line("gzip_types a", "dropped")
    old, new = one("old.conf", same), one("new.conf", same, own)
    assert "user www-data" in _of_one(old, whole=False)
    told = _of_one(new, whole=False, beside=old)
    assert told.startswith("new.conf: 0 lines kept, 0 replaced, 2 dropped; as in old.conf, but for\n")
    assert "gzip_types a" in told
    assert "user www-data" not in told
    assert _of_one(old, whole=False, beside=old).endswith("1 dropped; as in old.conf")
    assert "user www-data" in _of_one(new, whole=True, beside=old)


def test_what_cannot_be_read_says_where(caller: Caller, agent: Agent, tmp_path: Path) -> None:
    broken = tmp_path / "broken.conf"
    broken.write_text("server {\n  listen 80\n}\n")
    code, _, err = ended(caller.start("bench", str(broken), "--host", agent.name))
    assert code == 4
    assert "broken.conf, line 3" in err
    code, _, err = ended(caller.start("bench", str(tmp_path / "none.conf"), "--host", agent.name))
    assert code == 4
    assert "none.conf" in err
