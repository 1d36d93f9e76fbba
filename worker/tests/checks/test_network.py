"""Ports, listen queue, connection tracking and links that run out, in a network of the test's own."""

import contextlib
import socket
from pathlib import Path

import pytest
from ngxlab_contracts.perturbations import Once, PerturbationSpec, SignalNginx
from tests.checks.bench import Bench, fires, limited_by
from tests.checks.networks import CONNTRACK, busy_slow_link, track_connections
from tests.checks.test_generators import proxied
from tests.support.records import TrialRecord
from tests.support.specs import CONFIG, PROXY_CONFIG, trial_spec

PORT_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


@pytest.mark.usefixtures("own_network")
def test_an_nginx_that_uses_up_its_local_ports(bench: Bench) -> None:
    """It opens a connection to the upstream server for each request, and closes it."""
    PORT_RANGE.write_text("52000 52199")
    opening = PROXY_CONFIG.replace("keepalive 64;", "")
    spec = proxied()
    assert spec.nginx is not None
    spec = spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"config": opening})})
    assert "200 local ports" in fires(bench.run(spec).results, "ports", "error")


@pytest.mark.usefixtures("own_network")
def test_ports_of_connections_that_the_upstream_server_closes_are_free(bench: Bench) -> None:
    """What keep-alive to upstream servers is worth was never answered: TIME-WAIT alone voided the arm without."""
    PORT_RANGE.write_text("52000 52999")
    closing = PROXY_CONFIG.replace("keepalive 64;", "").replace('proxy_set_header Connection "";', "")
    spec = proxied()
    assert spec.nginx is not None
    spec = spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"config": closing})})
    assert "no connection failed for want of one" in fires(bench.run(spec).results, "ports", "warning")


@pytest.mark.usefixtures("own_network")
def test_a_generator_that_uses_up_its_local_ports(bench: Bench) -> None:
    PORT_RANGE.write_text("52000 52199")
    results = bench.run(trial_spec(stream={"connections": 240})).results
    assert "a generator failed to connect" in fires(results, "ports", "error")
    assert "failed to open" in fires(results, "concurrency", "error")


def ask_once(port: int) -> None:
    """From another address than wrk's, which uses half of the ports (ip_local_port_range in ip-sysctl.rst)."""
    with socket.create_connection(("127.0.0.1", port), source_address=("127.0.0.5", 0)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: nginx\r\nConnection: close\r\n\r\n")
        while client.recv(4096):
            pass


@pytest.mark.usefixtures("own_network", "in_hosts_network")
def test_connections_that_nginx_closes_occupy_no_port(bench: Bench) -> None:
    PORT_RANGE.write_text("52000 52999")

    def ask(record: TrialRecord) -> None:
        bench.wait_for(record, "warmup")
        port = bench.http_port()
        while "cooldown" not in record.phases and record.end is None:
            with contextlib.suppress(OSError):  # nginx has ended, which is told a moment later
                ask_once(port)

    spec = trial_spec(stream={"keep_alive": False, "connections": 4})
    assert "occupies no local port" in fires(bench.run(spec, ask).results, "ports", "info")


@pytest.mark.usefixtures("own_network")
def test_a_listen_queue_of_one_before_workers_that_stand_still(bench: Bench) -> None:
    short = CONFIG.replace("listen 127.0.0.1:@@http_port@@;", "listen 127.0.0.1:@@http_port@@ backlog=1;")
    stop = SignalNginx(signal="STOP", to="workers", resume_after_s=0.6)
    closing = {"keep_alive": False, "connections": 50}
    spec = trial_spec(config=short, stream=closing, measure_s=2).model_copy(
        update={"perturbations": [PerturbationSpec(key="p", when=Once(at_s=0.2), action=stop)]}
    )
    trial = bench.run(spec)
    assert "listen overflows" in fires(trial.results, "accept-queue", "warning")
    assert "dropped at the listen queue" in limited_by(trial.summary, "accept queue")


@pytest.mark.usefixtures("own_network", "in_hosts_network")
def test_a_full_table_of_connections(bench: Bench) -> None:
    track_connections()
    (CONNTRACK / "nf_conntrack_udp_timeout").write_text("600")
    limit = int((CONNTRACK / "nf_conntrack_max").read_text())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for number in range(round(0.85 * limit)):
            sender.sendto(b"", (f"127.1.0.{1 + number // 60_000}", 1024 + number % 60_000))
    assert "tracked connections" in fires(bench.run(trial_spec()).results, "conntrack", "error")


@pytest.mark.usefixtures("own_network", "in_hosts_network")
def test_a_link_that_carries_what_it_can(bench: Bench) -> None:
    with busy_slow_link():
        trial = bench.run(trial_spec(stream={"connections": 2}))
    assert "slow0 carried" in fires(trial.results, "link-speed", "warning")
    assert "slow0 sent" in limited_by(trial.summary, "network device")
