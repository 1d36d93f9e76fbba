"""Real requests to the real nginx of each arm, in the sandbox, before anything is measured."""

import http.server
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from ngxlab_contracts.answers import FirstAnswer
from ngxlab_contracts.config_test import ArmConfig, ArmVerdict, ConfigTestSpec
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.streams import PathChoice, StreamSpec
from ngxlab_contracts.trials import NginxSpec, UpstreamServerSpec
from ngxlab_worker import config_test
from ngxlab_worker.config_test import ConfigTestContext, run_config_test
from ngxlab_worker.confinement import default_bounds
from ngxlab_worker.first_answers import NoWallsError
from ngxlab_worker.sandbox import Isolation, Sandbox, probe_network, resolve_run_as
from tests.support.specs import CONFIG, NGINX, PROXY_CONFIG, UPSTREAM_CONFIG

FILES = CONFIG.replace('return 200 "OK\\n";', "root @@folder@@/files;")
JSON = FileSet(folder="data", count=3, size_bytes=1000, content="json")


def stream(**changes: Any) -> StreamSpec:
    return StreamSpec(key="main", engine="wrk", threads=1, connections=1, **changes)


def arm(config: str, *streams: StreamSpec, name: str = "a", **changes: Any) -> ArmConfig:
    upstream_servers = changes.pop("upstream_servers", [])
    nginx = NginxSpec(binary=NGINX, config=config, workers=2, **changes)
    return ArmConfig(arm=name, nginx=nginx, streams=list(streams), upstream_servers=upstream_servers)


@pytest.fixture
def context(agent_folder: Path, user: str | None, isolation: Isolation) -> ConfigTestContext:
    sandbox = Sandbox(isolation, resolve_run_as(user))
    return ConfigTestContext(agent_folder / "config-tests", sandbox, default_bounds(agent_folder), lambda: False)


@pytest.fixture(autouse=True)
def _walls() -> None:
    if not probe_network().available:
        pytest.skip(probe_network().detail)


def asked(context: ConfigTestContext, *arms: ArmConfig) -> list[ArmVerdict]:
    result = run_config_test(ConfigTestSpec(test_id=uuid4(), arms=list(arms)), context)
    assert result.failure is None
    assert list(context.root.iterdir()) == []
    return result.verdicts


def shown(answer: FirstAnswer) -> tuple[object, ...]:
    return answer.path, answer.status, answer.content_type, answer.body_bytes


def test_a_file_and_one_that_is_not_there(context: ConfigTestContext) -> None:
    streams = stream(path="/data/1"), stream(path="/files/data/1")
    (verdict,) = asked(context, arm(FILES, *streams, files=[JSON]))
    assert verdict.unanswered is None
    found, missing = verdict.answers
    assert shown(found) == ("/data/1", 200, "text/plain", 1000)
    assert shown(missing)[:3] == ("/files/data/1", 404, "text/html")
    assert missing.body_bytes is not None
    assert missing.body_bytes > 100


def test_the_first_and_the_last_of_many_paths(context: ConfigTestContext) -> None:
    many = stream(paths=PathChoice(pattern="/data/{n}", count=4))
    (verdict,) = asked(context, arm(FILES, many, files=[JSON]))
    assert [(one.path, one.status) for one in verdict.answers] == [("/data/0", 200), ("/data/3", 404)]


def test_what_a_stream_sends_arrives(context: ConfigTestContext) -> None:
    echo = 'return 200 "$request_method $http_accept_encoding $host $content_length $http_connection";'
    config = CONFIG.replace('return 200 "OK\\n";', echo)
    headers = {"Accept-Encoding": "gzip", "Host": "example.org"}
    post = stream(method="POST", body_bytes=70_000, headers=headers, keep_alive=False)
    (verdict,) = asked(context, arm(config, post))
    (answer,) = verdict.answers
    assert answer.body_bytes == len("POST gzip example.org 70000 close")


def test_an_encoding_is_told(context: ConfigTestContext) -> None:
    config = FILES.replace("location / {", "gzip on; gzip_types *; location / {")
    packed, plain = stream(path="/data/0", headers={"Accept-Encoding": "gzip"}), stream(path="/data/0")
    (verdict,) = asked(context, arm(config, packed, plain, files=[JSON]))
    first, second = verdict.answers
    assert (first.content_encoding, second.content_encoding) == ("gzip", None)
    assert first.body_bytes is not None
    assert first.body_bytes < 1000 == second.body_bytes


def test_upstream_servers_run_meanwhile(context: ConfigTestContext) -> None:
    server = UpstreamServerSpec(key="app", binary=NGINX, config=UPSTREAM_CONFIG, instances=2)
    proxied = arm(PROXY_CONFIG, stream(), upstream_servers=[server])
    proxied = proxied.model_copy(
        update={"nginx": proxied.nginx.model_copy(update={"upstream_servers": ["upstream.app"]})}
    )
    (verdict,) = asked(context, proxied)
    assert verdict.unanswered is None
    assert [one.status for one in verdict.answers] == [200]


def test_tls_is_spoken(context: ConfigTestContext) -> None:
    served = "        ssl_certificate @@folder@@/tls.crt;\n        ssl_certificate_key @@folder@@/tls.key;\n"
    config = CONFIG.replace("@@http_port@@;\n", "@@http_port@@ ssl;\n" + served)
    (verdict,) = asked(context, arm(config, stream(tls=True), tls=True))
    assert [one.status for one in verdict.answers] == [200]
    rsa_only = "ssl;\n        ssl_ciphers ECDHE-RSA-AES128-GCM-SHA256; ssl_protocols TLSv1.2;\n"
    weak = config.replace("ssl;\n", rsa_only, 1)
    (verdict,) = asked(context, arm(weak, stream(tls=True), tls=True))
    (answer,) = verdict.answers
    assert answer.status is None
    assert answer.failure is not None
    assert answer.failure.startswith("TLS handshake failed")


@pytest.fixture
def service() -> Iterator[tuple[int, list[str]]]:
    """A service of the host on its loopback interface: its port, and what it was asked."""
    heard: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 — as the library calls it

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1], heard
        server.shutdown()
        thread.join()


def test_the_hosts_own_services_cannot_be_reached(context: ConfigTestContext, service: tuple[int, list[str]]) -> None:
    port, heard = service
    with socket.create_connection(("127.0.0.1", port), 5):
        pass  # it is there
    config = CONFIG.replace('return 200 "OK\\n";', f"proxy_pass http://127.0.0.1:{port};")
    (verdict,) = asked(context, arm(config, stream()))
    assert [one.status for one in verdict.answers] == [502]
    redirecting = CONFIG.replace('return 200 "OK\\n";', f"return 302 http://127.0.0.1:{port}/secret;")
    (verdict,) = asked(context, arm(redirecting, stream()))
    assert [one.status for one in verdict.answers] == [302]
    assert heard == []


def test_an_answer_that_does_not_come_ends_in_time(context: ConfigTestContext) -> None:
    silent = CONFIG.replace('return 200 "OK\\n";', "limit_rate 1; root @@folder@@/files;")
    slow = stream(path="/data/0", timeout_s=1)
    (verdict,) = asked(context, arm(silent, slow, files=[JSON]))
    (answer,) = verdict.answers
    assert (answer.status, answer.failure) == (None, "no complete answer within 1 s")


def test_a_header_that_trickles_ends_in_time(context: ConfigTestContext) -> None:
    """A byte a second keeps a socket's own timeout from ever passing."""
    trickling = CONFIG.replace('return 200 "OK\\n";', "limit_rate 1; root @@folder@@/files;")
    began = time.monotonic()
    (verdict,) = asked(context, arm(trickling, stream(path="/data/0", timeout_s=4), files=[JSON]))
    (answer,) = verdict.answers
    assert (answer.status, answer.failure) == (None, "no complete answer within 4 s")
    assert time.monotonic() - began < config_test.TIME_LIMIT_S


def test_requests_made_by_a_script_are_not_guessed(context: ConfigTestContext) -> None:
    (verdict,) = asked(context, arm(CONFIG, stream(script="request = function() return wrk.format() end")))
    (answer,) = verdict.answers
    assert answer.status is None
    assert "only a run shows" in (answer.failure or "")


def test_a_rejected_arm_is_not_asked_and_the_others_are(context: ConfigTestContext) -> None:
    broken = CONFIG.replace("access_log off;", "nonsense on;", 1)
    first, second = asked(context, arm(broken, stream(), name="broken"), arm(CONFIG, stream(), name="good"))
    assert (first.accepted, first.answers, first.unanswered) == (False, [], None)
    assert [one.status for one in second.answers] == [200]


def test_an_nginx_that_does_not_start_says_why(context: ConfigTestContext) -> None:
    server = UpstreamServerSpec(key="app", binary=NGINX, config="nonsense on;", instances=1)
    (verdict,) = asked(context, arm(CONFIG, stream(), upstream_servers=[server]))
    assert verdict.accepted
    assert "nonsense" in (verdict.unanswered or "")


def test_no_time_is_left(context: ConfigTestContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_test, "TIME_LIMIT_S", 2.0)
    slow = CONFIG.replace('return 200 "OK\\n";', "limit_rate 1; root @@folder@@/files;")
    arms = [arm(slow, stream(path="/data/0", timeout_s=3), name=name, files=[JSON]) for name in "ab"]
    first, second = asked(context, *arms)
    assert [one.status for one in first.answers] == [None]
    assert (second.accepted, second.answers) == (True, [])
    assert "within 2 s" in (second.unanswered or "")


def test_what_the_host_refuses_is_said(context: ConfigTestContext) -> None:
    (verdict,) = asked(replace(context, unanswered="not here"), arm(CONFIG, stream()))
    assert (verdict.accepted, verdict.answers, verdict.unanswered) == (True, [], "not here")


def test_of_a_large_set_only_what_is_asked_for_is_made(context: ConfigTestContext) -> None:
    large = FileSet(folder="big", count=2000, size_bytes=1 << 20)
    before = shutil.disk_usage(context.root.parent).free
    (verdict,) = asked(context, arm(FILES, stream(paths=PathChoice(pattern="/big/{n}", count=2000)), files=[large]))
    assert before > large.total_bytes
    assert [shown(one)[1:] for one in verdict.answers] == [(200, "text/plain", 1 << 20)] * 2


CALLER = """\
#!/usr/bin/python3
import socket, sys
if "-t" in sys.argv:
    try:
        socket.create_connection(("127.0.0.1", PORT), 5).close()
    except OSError as error:
        sys.exit(print(f"nginx: [emerg] {error}", file=sys.stderr) or 1)
print("nginx version: nginx/1.22.1\\nconfigure arguments: --with-http_stub_status_module", file=sys.stderr)
"""


def test_nginx_reaches_nothing_while_it_tests_its_configuration(
    context: ConfigTestContext, service: tuple[int, list[str]], agent_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modules run code of the experiment then, such as Perl's."""
    program = agent_folder / "nginx-in-name"
    program.write_text(CALLER.replace("PORT", str(service[0])))
    program.chmod(0o755)
    calling = ArmConfig(arm="a", nginx=NginxSpec(binary=str(program), config=CONFIG, workers=1))
    (verdict,) = asked(context, calling)
    assert [finding.message for finding in verdict.findings] == ["[Errno 111] Connection refused"]

    @contextmanager
    def without_walls(_: Sandbox) -> Iterator[Sandbox]:
        raise NoWallsError("a test")
        yield

    monkeypatch.setattr(config_test, "walls", without_walls)
    (verdict,) = asked(context, calling)
    assert verdict.accepted, "so that the first half can fail"
