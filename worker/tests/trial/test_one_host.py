"""Trials on one host: target, upstream servers, and what a target does for streams of other hosts."""

import os

import pytest
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.telemetry import Batch, EndpointEvent, PhaseEvent, ProcessEvent, StreamResult
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.trial.load import PEERS_END_S
from ngxlab_worker.uplink.api_client import AgentClient
from tests.support.fake_backend import FakeBackend
from tests.support.records import TrialRecord, now_us
from tests.support.specs import CONFIG, PROXY_CONFIG, UPSTREAM_CONFIG, app_server, for_host, trial_spec
from tests.support.trials import (
    artefacts,
    assert_completed,
    assert_nginx_agrees,
    assert_nothing_left,
    nginx_total,
    requests_of,
    result_of,
    when,
)

TLS = "listen 127.0.0.1:@@http_port@@ ssl; ssl_certificate @@folder@@/tls.crt; ssl_certificate_key @@folder@@/tls.key;"
TLS_CONFIG = CONFIG.replace("listen 127.0.0.1:@@http_port@@;", TLS)
CERTIFICATE = TLS.partition("; ")[2]
TLS_PROXY = PROXY_CONFIG.replace("proxy_pass http://", "proxy_pass https://")
TLS_UPSTREAM = UPSTREAM_CONFIG.replace(".1@@;", f".1@@ ssl; {CERTIFICATE}").replace(".2@@;", ".2@@ ssl;")
FILES_CONFIG = CONFIG.replace('location / { return 200 "OK\\n"; }', "location / { root @@folder@@/files; }")
BUSY = {"status-late", "late-start", "late-end", "late-readings"}
"""What a trial notes on a machine that is slow at that moment."""
OTHER_ADDRESS = "127.0.0.77"
TOKEN = "secret"
"""What the agent under test calls itself with."""


def with_nginx(spec: TrialSpec, **changes: object) -> TrialSpec:
    assert spec.nginx is not None
    return spec.model_copy(update={"nginx": spec.nginx.model_copy(update=changes)})


def processes(record: TrialRecord) -> list[ProcessEvent]:
    return [event for event in record.events if isinstance(event, ProcessEvent)]


def test_a_backend_behind_the_target_on_one_host(agent: Agent, backend: FakeBackend) -> None:
    spec = with_nginx(trial_spec(config=PROXY_CONFIG), upstream_servers=["upstream.app"], address=OTHER_ADDRESS)
    record = backend.add(spec.model_copy(update={"upstream_servers": [app_server(OTHER_ADDRESS)]}))
    agent.execute(record.spec.trial_id)

    assert_completed(record)
    assert requests_of(record) > 100
    assert_nginx_agrees(record, requests_of(record))
    announced = {event.name: event for event in record.events if isinstance(event, EndpointEvent)}
    assert {name: len(event.ports) for name, event in announced.items()} == {"upstream.app": 2, "target": 1}
    assert {event.address for event in announced.values()} == {OTHER_ADDRESS}
    assert (processes(record)[0].role, processes(record)[0].index) == ("upstream", 0)
    kept = artefacts(record)
    assert f"server {OTHER_ADDRESS}:{announced['upstream.app'].ports[1]};" in kept["nginx.conf"]
    assert "upstream-app.conf" in kept
    assert_nothing_left(agent)


def test_a_backend_that_cannot_start_says_why(namespaced: Agent, backend: FakeBackend) -> None:
    broken = app_server().model_copy(update={"config": f"{UPSTREAM_CONFIG}worker_processes 1;\n"})
    spec = with_nginx(trial_spec(config=PROXY_CONFIG), upstream_servers=["upstream.app"])
    record = backend.add(spec.model_copy(update={"upstream_servers": [broken]}))
    namespaced.execute(record.spec.trial_id)
    assert record.end is not None
    assert record.end.code == "upstream-died"
    assert '"worker_processes" directive is duplicate' in record.end.reason
    assert_nothing_left(namespaced)


def test_an_address_that_is_not_this_hosts_is_named(namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(with_nginx(trial_spec(), address="192.0.2.1"))
    namespaced.execute(record.spec.trial_id)
    assert record.end is not None
    assert record.end.code == "foreign-address"
    assert "192.0.2.1 is not an address of this host" in record.end.reason


def test_tls_with_a_certificate_of_the_trials_own(agent: Agent, backend: FakeBackend) -> None:
    record = backend.add(with_nginx(trial_spec(config=TLS_CONFIG, stream={"tls": True}), tls=True))
    agent.execute(record.spec.trial_id)
    assert_completed(record)
    assert requests_of(record) > 100
    assert_nginx_agrees(record, requests_of(record))


def test_an_upstream_server_with_tls_is_asked_by_https(namespaced: Agent, backend: FakeBackend) -> None:
    app = app_server(tls=True).model_copy(update={"config": TLS_UPSTREAM})
    spec = with_nginx(trial_spec(config=TLS_PROXY), upstream_servers=["upstream.app"])
    record = backend.add(spec.model_copy(update={"upstream_servers": [app]}))
    namespaced.execute(record.spec.trial_id)
    assert_completed(record)
    printed = result_of(record).printed
    assert printed is not None
    assert printed.requests > 100
    assert printed.errors_status == 0
    assert_nothing_left(namespaced)


def test_files_are_there_to_be_served(agent: Agent, backend: FakeBackend) -> None:
    files = FileSet(folder="small", count=20, size_bytes=10_000)
    record = backend.add(with_nginx(trial_spec(config=FILES_CONFIG, stream={"path": "/small/19"}), files=[files]))
    agent.execute(record.spec.trial_id)
    assert_completed(record)
    printed = result_of(record).printed
    assert printed is not None
    assert printed.errors_status == 0
    assert printed.bytes_read > printed.requests * 10_000
    assert_nothing_left(agent)


def test_everything_runs_where_it_is_pinned(agent: Agent, backend: FakeBackend) -> None:
    first, last = (str(f(os.sched_getaffinity(0))) for f in (min, max))
    spec = with_nginx(
        trial_spec(config=PROXY_CONFIG, stream={"cpus": last}), cpus=first, upstream_servers=["upstream.app"]
    ).model_copy(update={"upstream_servers": [app_server(cpus=last)]})
    record = backend.add(spec)
    agent.execute(record.spec.trial_id)
    assert_completed(record)
    assert {event.role: event.cpus_allowed for event in processes(record)} == {
        "nginx-master": first,
        "nginx-worker": first,
        "upstream": last,
        "generator": last,
    }


def test_a_target_serves_until_the_streams_of_others_have_ended(namespaced: Agent, backend: FakeBackend) -> None:
    whole = trial_spec(measure_s=0.5)
    target = for_host(whole, nginx=whole.nginx, remote_streams=True)
    records = backend.add_fleet({TOKEN: target, "elsewhere": for_host(whole, streams=whole.streams)})
    record, t_us = records[TOKEN], now_us()
    sent: list[int] = []

    def play_the_generator() -> None:
        with AgentClient(backend.url, "elsewhere") as peer:
            peer.send_batch(whole.trial_id, batch(1, PhaseEvent(t_us=t_us, phase="ready")))
            backend.wait_for(lambda: "cooldown" in record.phases and len(record.batches) > batches_at_cooldown(record))
            sent.append(now_us())
            end = StreamResult(t_us=t_us, stream="main", exit_code=0, live_requests=0, stub_requests=None, printed=None)
            peer.send_batch(whole.trial_id, batch(2, end))

    thread = when(backend, lambda: "ready" in record.phases, play_the_generator)
    namespaced.execute(whole.trial_id)
    thread.join()
    assert_completed(record)
    assert set(record.notes()) <= BUSY  # not that streams did not end
    assert ("status-late" in record.notes()) == (record.frames_of("stub_status") < record.frames_of("cpu"))
    assert sent[0] < record.phases["cleanup"] < sent[0] + PEERS_END_S * 1e6
    assert nginx_total(record) == 0


def batch(seq: int, event: PhaseEvent | StreamResult) -> bytes:
    return Batch(seq=seq, clock_offset_us=0, events=[event]).model_dump_json().encode()


def batches_at_cooldown(record: TrialRecord) -> int:
    """How many batches came until the window's end: more mean that sampling goes on."""
    phases = [any(e.kind == "phase" and e.phase == "cooldown" for e in batch.events) for batch in record.batches]
    return phases.index(True) + 1


def test_a_target_does_not_wait_for_ever(
    namespaced: Agent, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ngxlab_worker.trial.load.PEERS_END_S", 0.5)
    spec = for_host(trial_spec(measure_s=0.5), nginx=trial_spec().nginx, remote_streams=True)
    record = backend.add(spec)
    namespaced.execute(spec.trial_id)
    assert_completed(record)
    assert "streams-unfinished" in record.notes()
    assert nginx_total(record) == 0
    assert_nothing_left(namespaced)


def test_peers_that_never_come_are_named(namespaced: Agent, backend: FakeBackend) -> None:
    spec = with_nginx(trial_spec(config=PROXY_CONFIG, start_timeout_s=0.3), upstream_servers=["upstream.app"])
    record = backend.add(spec)
    namespaced.execute(spec.trial_id)
    assert record.end is not None
    assert record.end.code == "peers-missing"
    assert "upstream.app" in record.end.reason
    assert_nothing_left(namespaced)
