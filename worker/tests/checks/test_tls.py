"""TLS handshakes that are not resumed although nginx is asked to, and such as fail."""

import socket
import ssl

import pytest
from tests.checks.bench import Bench, fires
from tests.support.records import TrialRecord
from tests.support.streams import open_loop
from tests.trial.test_answers import over_tls

CACHE = "ssl_session_cache shared:s:1m;"


def test_an_engine_that_offers_no_session(bench: Bench) -> None:
    stream = open_loop(100, tls=True, keep_alive=False)
    spec = over_tls(server=CACHE).model_copy(update={"streams": [stream]})
    results = bench.run(spec).results
    said = fires(results, "tls-resumption", "warning")
    assert "and 0 resumed handshakes" in said
    assert "engine open-loop offers no session to resume" in said
    assert results["tls-handshakes"].severity == "pass"


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
        client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
        client.maximum_version = ssl.TLSVersion.TLSv1_2
        client.set_ciphers("AES128-GCM-SHA256")
        with socket.create_connection(("127.0.0.1", bench.http_port())) as tcp, pytest.raises(ssl.SSLError):
            client.wrap_socket(tcp)

    stream = open_loop(1000, tls=True, keep_alive=False)
    spec = over_tls()
    timing = spec.timing.model_copy(update={"measure_s": 2})
    spec = spec.model_copy(update={"streams": [stream], "timing": timing})
    results = bench.run(spec, offer_what_the_certificate_cannot_use).results
    assert "no shared cipher" in fires(results, "tls-handshakes", "warning")
