"""What clients bring to TLS, as a real nginx's own log has it: which sessions are resumed, and what was agreed on."""

import os
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from ngxlab_contracts.streams import ClientSpec, StreamSpec, TlsClientSpec
from ngxlab_contracts.telemetry import EngineTotals
from ngxlab_worker.sandbox import Sandbox
from tests.support.hosts import wait_until
from tests.support.served import TLS_CONFIG, elapsed_s, nginx, target_of
from tests.support.streams import open_loop, running

LOG = "log_format tls '{}'; access_log @@folder@@/access.log tls;"
CACHED = "ssl_session_cache shared:s:4m; "


def logging(words: str, server: str = "") -> str:
    """A line for each request; each has a connection of its own."""
    config = TLS_CONFIG.replace("@@status_port@@;", "@@status_port@@; access_log off;")
    config = config.replace("access_log off;", LOG.format(words), 1)
    return config.replace("ssl_certificate ", f"ssl_protocols TLSv1.2 TLSv1.3; {server}ssl_certificate ", 1)


def closing(**client: Any) -> StreamSpec:
    """The first handshakes, as many as there are connections, find no session yet."""
    return open_loop(2000, connections=8, tls=True, keep_alive=False, tls_client=TlsClientSpec(**client))


def logged(folder: Path) -> Counter[str]:
    return Counter((folder / "nginx" / "access.log").read_text().splitlines())


def shaken(
    folder: Path, sandbox: Sandbox, stream: StreamSpec, config: str, at_least: int = 100
) -> tuple[EngineTotals, Counter[str]]:
    with (
        nginx(folder, sandbox, config, tls=True) as server,
        running(stream, target_of(server), folder, sandbox) as loaded,
    ):
        loaded.wait_for("completed", at_least)
        totals = loaded.end()
        assert loaded.counted("handshake") == totals.handshakes
    return totals, logged(folder)


@pytest.mark.parametrize(
    ("server", "client"),
    [
        ("", {"version": "1.3"}),
        (CACHED + "ssl_session_tickets off; ", {"version": "1.3"}),
        ("", {"version": "1.2"}),
        (CACHED, {"version": "1.2", "sessions": "ids"}),
    ],
)
@pytest.mark.parametrize("percent", [50, 100])
def test_so_many_handshakes_are_resumed_as_are_asked_for(
    agent_folder: Path, sandbox: Sandbox, server: str, client: dict[str, Any], percent: float
) -> None:
    stream = closing(resumed_percent=percent, **client)
    totals, lines = shaken(agent_folder, sandbox, stream, logging("$ssl_session_reused", server), 2000)
    assert 100 * lines["r"] / lines.total() == pytest.approx(percent, abs=1)
    # A handshake whose connection the end of the load has cut off is in the engine's counts only.
    assert 0 <= totals.handshakes - lines.total() <= stream.connections
    assert 0 <= totals.handshakes_resumed - lines["r"] <= stream.connections


def test_without_a_wish_every_handshake_is_a_full_one(agent_folder: Path, sandbox: Sandbox) -> None:
    totals, lines = shaken(agent_folder, sandbox, closing(), logging("$ssl_session_reused", CACHED))
    assert set(lines) == {"."}
    assert totals.handshakes_resumed == 0


@pytest.mark.parametrize(
    ("client", "agreed"),
    [
        (
            {"version": "1.2", "cipher": "aes256-gcm", "group": "p-256"},
            "TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384 prime256v1",
        ),
        ({"version": "1.3", "cipher": "aes128-gcm", "group": "p-384"}, "TLSv1.3 TLS_AES_128_GCM_SHA256 secp384r1"),
        ({"cipher": "chacha20-poly1305", "group": "x25519"}, "TLSv1.3 TLS_CHACHA20_POLY1305_SHA256 X25519"),
    ],
)
def test_nginx_agrees_on_what_the_clients_bring(
    agent_folder: Path, sandbox: Sandbox, client: dict[str, Any], agreed: str
) -> None:
    words = "$ssl_protocol $ssl_cipher $ssl_curve $ssl_server_name"
    stream = closing(server_name="shop.example.org", **client)
    totals, lines = shaken(agent_folder, sandbox, stream, logging(words, "ssl_ecdh_curve X25519:P-384:P-256; "))
    assert set(lines) == {f"{agreed} shop.example.org"}
    assert totals.errors_connect == 0


def test_a_stall_of_nginx_shows_whole_in_the_handshake(agent_folder: Path, sandbox: Sandbox) -> None:
    stream = open_loop(200, connections=64, tls=True, keep_alive=False)
    with (
        nginx(agent_folder, sandbox, TLS_CONFIG, tls=True) as server,
        running(stream, target_of(server), agent_folder, sandbox) as loaded,
    ):
        loaded.wait_for("completed", 20)
        for pid in server.workers():
            os.kill(pid, signal.SIGSTOP)
        began_s = elapsed_s(loaded)
        wait_until(lambda: elapsed_s(loaded) >= began_s + 0.25)
        for pid in server.workers():
            os.kill(pid, signal.SIGCONT)
        ended_s = elapsed_s(loaded)
        loaded.wait_for("completed", 100)
        loaded.end()
        longest_s = loaded.generator.counts_of("handshake").latency_us[-1] / 1e6
    due_s = 1 / 200
    assert ended_s - began_s - 2 * due_s <= longest_s <= elapsed_s(loaded) - began_s


def test_a_large_rsa_key_costs_five_times_the_cpu_of_an_elliptic_one(agent_folder: Path, sandbox: Sandbox) -> None:
    cpu_s = {key: cpu_of_a_handshake(agent_folder / key, sandbox, key) for key in ("p256", "rsa4096")}
    assert cpu_s["rsa4096"] >= 5 * cpu_s["p256"]


def cpu_of_a_handshake(folder: Path, sandbox: Sandbox, key: str) -> float:
    folder.mkdir(mode=0o755)
    stream = open_loop(100, connections=64, tls=True, keep_alive=False)
    with (
        nginx(folder, sandbox, TLS_CONFIG, tls=True, certificate_key=key) as server,
        running(stream, target_of(server), folder, sandbox) as loaded,
    ):
        loaded.wait_for("completed", 150)
        totals = loaded.end()
        return sum(cpu_s_of(pid) for pid in server.workers()) / totals.handshakes


def cpu_s_of(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


EARLY = "ssl_early_data on; "


@pytest.mark.parametrize("percent", [50, 100])
def test_so_many_requests_go_with_the_first_message_as_are_asked_for(
    agent_folder: Path, sandbox: Sandbox, percent: float
) -> None:
    """nginx says of a request whether it was answered before its handshake was over, which takes a round trip more."""
    brought = TlsClientSpec(resumed_percent=100, early_data_percent=percent, version="1.3")
    far: dict[str, Any] = {"client": ClientSpec(round_trip_ms=200), "keep_alive": False, "tls_client": brought}
    stream = open_loop(300, connections=300, tls=True, **far)
    totals, lines = shaken(agent_folder, sandbox, stream, logging("$ssl_session_reused$ssl_early_data", EARLY), 600)
    assert 100 * totals.early_requests / totals.handshakes_resumed == pytest.approx(percent, abs=1)
    assert 0.9 * totals.early_requests <= lines["r1"] <= totals.early_requests + stream.connections
    assert totals.errors_read == totals.errors_write == totals.errors_connect == 0


def test_early_requests_that_nginx_does_not_take_are_sent_once_more_and_count_once(
    agent_folder: Path, sandbox: Sandbox
) -> None:
    """Requests go to two listeners by turns, of which one takes no early data, nor the other one's sessions."""
    config = logging("$server_port$ssl_early_data", EARLY)
    begin = config.index("    server {", config.index("stub_status;"))
    listener = config[begin : config.rindex("}")]
    other = listener.replace("@@http_port@@", "@@http_port.2@@").replace(EARLY, "")
    stream = closing(resumed_percent=100, early_data_percent=100, version="1.3")
    with (
        nginx(agent_folder, sandbox, config[:begin] + other + config[begin:], tls=True, ports=2) as server,
        running(stream, target_of(server), agent_folder, sandbox) as loaded,
    ):
        loaded.wait_for("completed", 2000)
        totals = loaded.end()
    taking, other_port = (str(port) for port in server.endpoint.ports)
    lines = logged(agent_folder)
    assert set(lines) == {f"{taking}-", f"{taking}1", f"{other_port}-"}
    assert totals.errors_read == totals.errors_write == totals.errors_connect == 0
    assert 0 <= totals.sent - totals.completed <= stream.connections
    assert totals.completed <= lines.total() <= totals.completed + stream.connections
    assert 0 < totals.early_requests < totals.completed


def test_a_body_too_large_for_early_data_goes_after_the_handshake(agent_folder: Path, sandbox: Sandbox) -> None:
    brought = TlsClientSpec(resumed_percent=100, early_data_percent=100, version="1.3")
    large: dict[str, Any] = {"method": "PUT", "body_bytes": 20_000, "keep_alive": False, "tls_client": brought}
    stream = open_loop(200, connections=8, tls=True, **large)
    totals, lines = shaken(agent_folder, sandbox, stream, logging("$ssl_session_reused$ssl_early_data", EARLY))
    assert (totals.early_requests, totals.errors_read, totals.errors_write) == (0, 0, 0)
    assert set(lines) <= {".-", "r-"}
