"""The product over https, with an authority of one's own: real backend and front, a real agent, people in between."""

import os
import pwd
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import services
from harness import Backend
from ngxlab.front.configuration import Tls
from ngxlab.hosts.service import create_enrolment_token
from serving import fronted, own_database

from scripts.containers import project
from scripts.paths import BIN
from scripts.stack.waiting import wait_until

WORKER = str(BIN / "ngxlab-worker")
SYSTEMS_STORE = Path(ssl.get_default_verify_paths().openssl_capath).resolve()


@dataclass
class Lab:
    """``backend``: as clients reach it that trust the authority, which those of this process do."""

    backend: Backend
    authority: Path


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with (
        TemporaryDirectory(prefix="ngxlab-lab-", dir="/tmp") as name,
        services.postgresql() as postgresql,
        own_database(postgresql) as plain,
    ):
        made, port = project.make(Path(name), "127.0.0.1"), services.free_port()
        url, tls = f"https://127.0.0.1:{port}", Tls(f"127.0.0.1:{port}", made.certificate, made.key)
        settings = plain.model_copy(update={"public_url": url})
        with fronted(settings, tls=tls), pytest.MonkeyPatch.context() as patch:
            patch.setenv("SSL_CERT_FILE", str(made.authority))
            reached = Backend(url, settings)
            yield Lab(reached, made.authority)
            reached.close()


def test_who_signs_in_gets_cookies_for_https_only(lab: Lab) -> None:
    cookies = list(lab.backend.person().client.cookies.jar)
    assert cookies
    assert [cookie.name for cookie in cookies if not cookie.secure] == []


def test_events_of_a_live_page_are_not_held_back(lab: Lab) -> None:
    person = lab.backend.person()
    run = person.run(lab.backend.agent())
    with person.client.stream("GET", f"/runs/{run['id']}/live", timeout=90) as answer:
        events = (line for line in answer.iter_lines() if line.startswith("event: "))
        assert next(events) == "event: snapshot"
        person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()
        assert next(events) == "event: run"


@dataclass
class Host:
    folder: Path

    def environment(self, **more: str) -> dict[str, str]:
        told = {"PATH": os.environ["PATH"], "NGXLAB_AGENT_DIR": str(self.folder)}
        return told | ({"NGXLAB_RUN_AS": _unprivileged()} if os.geteuid() == 0 else {}) | more

    def order(self, *words: str, given: str = "", **more: str) -> "subprocess.CompletedProcess[str]":
        """``ngxlab host WORDS``."""
        command = [WORKER, "host", *words]
        told = self.environment(**more)
        return subprocess.run(command, env=told, input=given, capture_output=True, text=True, check=False)


def _unprivileged() -> str:
    return next((one.pw_name for one in pwd.getpwall() if one.pw_name == "ngxlab"), "nobody")


@pytest.fixture
def host() -> Iterator[Host]:
    with TemporaryDirectory(prefix="ngxlab-host-", dir="/tmp") as name:  # other users must reach it
        Path(name).chmod(0o755)
        yield Host(Path(name))


def test_a_host_that_does_not_know_the_authority_is_told_what_to_set(lab: Lab, host: Host) -> None:
    settings = lab.backend.settings
    token = lab.backend.operator(lambda session: create_enrolment_token(session, settings, 5, None)).token
    join = ("join", settings.public_url, "--name", "own")
    refused = host.order(*join, given=token)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("ngxlab-worker: the certificate of 127.0.0.1 is not trusted here (unable to get")
    assert "NGXLAB_CA=" in refused.stderr
    assert "SSL_CERT_FILE" in refused.stderr
    assert refused.stderr.count("\n") == 1

    trusting = {"SSL_CERT_FILE": str(lab.authority)}
    joined = host.order(*join, given=token, **trusting)  # the token is as good as new
    assert joined.returncode == 0, joined.stderr
    with subprocess.Popen([WORKER, "agent"], env=host.environment(**trusting), stderr=subprocess.DEVNULL) as agent:
        try:
            wait_until((host.folder / "heartbeat").exists, "a heartbeat over https")
            status = host.order("status", "--wait", "60", **trusting)
            assert (status.returncode, status.stdout.splitlines()[-1:]) == (0, ["idle"]), status.stderr
            assert "is not trusted here" in host.order("status", "--wait", "60").stderr
            assert _status_where_the_system_knows(lab.authority, host) == "idle"
        finally:
            agent.terminate()


def _status_where_the_system_knows(authority: Path, host: Host) -> str:
    """What the host's owner is told once the authority is among those of the machine (update-ca-certificates)."""
    store = host.folder / "certificates"
    store.mkdir()
    shutil.copy(authority, store / "lab.pem")
    subprocess.run(["openssl", "rehash", store], check=True, capture_output=True)
    within = ["bwrap", "--ro-bind", "/", "/", "--ro-bind", str(store), str(SYSTEMS_STORE), "--dev", "/dev",
              "--proc", "/proc", "--die-with-parent", "--", WORKER, "host", "status"]  # fmt: skip
    done = subprocess.run(within, env=host.environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]
