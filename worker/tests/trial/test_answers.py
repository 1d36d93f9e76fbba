"""What nginx answers to one more request of each stream, and the handshakes of its whole life."""

from ngxlab_contracts.telemetry import Answer, NginxTotal, StreamResult, TlsUse
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker.agent.agent import Agent
from tests.support.fake_backend import FakeBackend
from tests.support.specs import CONFIG, trial_spec
from tests.support.trials import assert_completed

LOG = (
    'map $connection_requests $ngxlabfirst { 1 1; default ""; } log_format ngxlabtls $ssl_session_reused; '
    "access_log @@folder@@/tls.log ngxlabtls buffer=64k flush=1s if=$ngxlabfirst;"
)
TLS = (
    CONFIG.replace("listen 127.0.0.1:@@http_port@@;", "listen 127.0.0.1:@@http_port@@ ssl; {server}")
    .replace("{server}", "ssl_certificate @@folder@@/tls.crt; ssl_certificate_key @@folder@@/tls.key;")
    .replace("access_log off;", LOG)
    .replace("@@error_log@@ warn", "@@error_log@@ info")
)


def over_tls(*, server: str = "", config: str = TLS, **stream: object) -> TrialSpec:
    """``server``: what its server has beside."""
    text = config.replace("tls.key;", f"tls.key; {server}")
    spec = trial_spec(config=text, stream={"tls": True, "connections": 4, **stream})
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"tls": True, "watches_tls": True})
    return spec.model_copy(update={"nginx": nginx})


def test_an_answer_is_kept_and_counts_for_nothing(namespaced: Agent, backend: FakeBackend) -> None:
    config = CONFIG.replace("location / {", "location / { add_header X-Two a; add_header X-Two b;")
    record = backend.add(spec := trial_spec(config=config))
    namespaced.execute(spec.trial_id)
    assert_completed(record)
    (answer,) = (event for event in record.events if isinstance(event, Answer))
    assert (answer.stream, answer.status) == ("main", 200)
    assert (answer.headers["content-length"], answer.headers["x-two"]) == ("3", "a, b")
    (total,) = (event for event in record.events if isinstance(event, NginxTotal))
    (result,) = (event for event in record.events if isinstance(event, StreamResult))
    assert total.requests == result.stub_requests


def test_handshakes_are_counted_and_wrk_resumes_them(namespaced: Agent, backend: FakeBackend) -> None:
    """One full handshake for each of its connections; and the one of the request that is asked at the end."""
    record = backend.add(spec := over_tls(keep_alive=False, server="ssl_session_tickets on;"))
    namespaced.execute(spec.trial_id)
    assert_completed(record)
    (use,) = (event for event in record.events if isinstance(event, TlsUse))
    assert use.full is not None
    assert use.resumed is not None
    assert use.full <= 4 + 1
    assert use.resumed > 0
    assert use.failed == {}


def test_a_failed_handshake_is_named(namespaced: Agent, backend: FakeBackend) -> None:
    """The certificate has a key of P-256, which ciphers of RSA cannot use."""
    server = "ssl_protocols TLSv1.2; ssl_ciphers AES128-GCM-SHA256;"
    record = backend.add(spec := over_tls(server=server))
    namespaced.execute(spec.trial_id)
    (use,) = (event for event in record.events if isinstance(event, TlsUse))
    assert (use.full, use.resumed) == (0, 0)
    assert use.failed.keys() == {"no shared cipher"}
    assert not [event for event in record.events if isinstance(event, Answer)]
