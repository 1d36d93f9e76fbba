"""TLS handshakes that are not resumed although nginx is asked to, and such as fail."""

import socket
import ssl

import pytest
from ngxlab_contracts.streams import TlsClientSpec
from tests.checks.bench import Bench, Judged, fires
from tests.support.records import TrialRecord
from tests.support.streams import open_loop
from tests.trial.test_answers import over_tls

CACHE = "ssl_session_cache shared:s:1m;"


def trusting() -> ssl.SSLContext:
    """A client's context that takes the trial's own certificate."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    return client


def test_an_engine_that_offers_no_session(bench: Bench) -> None:
    stream = open_loop(100, tls=True, keep_alive=False)
    spec = over_tls(server=CACHE).model_copy(update={"streams": [stream]})
    results = bench.run(spec).results
    said = fires(results, "tls-resumption", "warning")
    assert "and 0 resumed handshakes" in said
    assert "engine open-loop offers no session to resume" in said
    assert results["tls-handshakes"].severity == "pass"


def test_clients_that_say_how_many_handshakes_they_resume(bench: Bench) -> None:
    def results_of(server: str, percent: float) -> Judged:
        client = TlsClientSpec(resumed_percent=percent, version="1.2")
        stream = open_loop(200, tls=True, keep_alive=False, tls_client=client)
        return bench.run(over_tls(server=server).model_copy(update={"streams": [stream]}))

    half = results_of(CACHE, 50)
    assert {half.results[key].severity for key in ("tls-resumption", "tls-handshakes")} == {"pass"}
    values = half.summary.metric_values
    assert values["resumed_handshakes_percent"] == pytest.approx(50, abs=5)
    assert values["handshakes_per_s"] == pytest.approx(200, rel=0.3)
    assert half.summary.latency is not None
    assert 0 < values["handshake_p50_us"] <= half.summary.latency.p50_us
    assert 0 < values["first_byte_p50_us"] <= half.summary.latency.p50_us
    assert 0 < values["connect_p50_us"] <= half.summary.latency.p50_us
    full = results_of(CACHE, 0).results["tls-resumption"]
    assert (full.severity, full.message) == ("pass", "the streams ask for full handshakes")
    refused = results_of("ssl_session_cache off; ssl_session_tickets off;", 100).results
    said = fires(refused, "tls-resumption", "warning")
    assert "although tls_client.resumed_percent asks for resumption: nginx takes none" in said


@pytest.mark.usefixtures("in_hosts_network")
def test_handshakes_of_others_among_those_of_the_load(bench: Bench) -> None:
    def come_beside(record: TrialRecord) -> None:
        bench.wait_for(record, "measure")
        client = trusting()
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", bench.http_port())) as tcp, client.wrap_socket(tcp) as tls:
                tls.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                tls.recv(1)

    stream = open_loop(100, tls=True, keep_alive=False)
    spec = over_tls().model_copy(update={"streams": [stream]})
    said = fires(bench.run(spec, come_beside).results, "tls-handshakes", "error")
    assert "the generators made" in said


def test_sessions_that_are_resumed_and_connections_that_are_kept(bench: Bench) -> None:
    resumed = bench.run(over_tls(server=CACHE, keep_alive=False)).results
    assert {resumed[key].severity for key in ("tls-resumption", "tls-handshakes")} == {"pass"}
    kept = bench.run(over_tls(server=CACHE)).results
    assert "the load keeps its connections" in fires(kept, "tls-resumption", "info")


def test_ciphers_that_the_certificate_cannot_use(bench: Bench) -> None:
    spec = over_tls(server="ssl_protocols TLSv1.2; ssl_ciphers AES128-GCM-SHA256;")
    assert "no shared cipher" in fires(bench.run(spec).results, "tls-handshakes", "error")


@pytest.mark.usefixtures("in_hosts_network")
def test_a_single_failure_among_two_thousand_handshakes(bench: Bench) -> None:
    def offer_what_the_certificate_cannot_use(record: TrialRecord) -> None:
        bench.wait_for(record, "measure")
        client = trusting()
        client.maximum_version = ssl.TLSVersion.TLSv1_2
        client.set_ciphers("AES128-GCM-SHA256")
        with socket.create_connection(("127.0.0.1", bench.http_port())) as tcp, pytest.raises(ssl.SSLError):
            client.wrap_socket(tcp)

    resuming = TlsClientSpec(resumed_percent=100)  # of which a slow machine makes enough
    stream = open_loop(1000, tls=True, keep_alive=False, tls_client=resuming)
    spec = over_tls()
    timing = spec.timing.model_copy(update={"measure_s": 3})
    spec = spec.model_copy(update={"streams": [stream], "timing": timing})
    results = bench.run(spec, offer_what_the_certificate_cannot_use).results
    assert "no shared cipher" in fires(results, "tls-handshakes", "warning")
