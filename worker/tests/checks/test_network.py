"""Ports, listen queue, connection tracking and links that run out, in a network of the test's own."""

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ngxlab_contracts.perturbations import Once, PerturbationSpec, SignalNginx
from tests.checks.bench import Bench, fires
from tests.checks.test_generators import proxied
from tests.support.records import TrialRecord
from tests.support.specs import CONFIG, PROXY_CONFIG, trial_spec

FEW_PORTS = "52000 52199"
CONNTRACK_LIMIT = Path("/proc/sys/net/netfilter/nf_conntrack_max")
TUN = Path("/dev/net/tun")
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
TUN_BYTES_PER_S = 10_000_000 // 8


def test_an_nginx_that_uses_up_its_local_ports(bench: Bench, own_network: Path) -> None:
    """It opens a connection to the upstream server for each request, and closes it."""
    (own_network / "ipv4/ip_local_port_range").write_text(FEW_PORTS)
    opening = PROXY_CONFIG.replace("keepalive 64;", "")
    spec = proxied()
    assert spec.nginx is not None
    spec = spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"config": opening})})
    assert "200 local ports" in fires(bench.run(spec).results, "ports", "error")


def test_connections_that_nginx_closes_occupy_no_port(bench: Bench, own_network: Path) -> None:
    (own_network / "ipv4/ip_local_port_range").write_text("52000 52999")
    spec = trial_spec(stream={"keep_alive": False, "connections": 4})
    assert "occupies no local port" in fires(bench.run(spec).results, "ports", "info")


@pytest.mark.usefixtures("own_network")
def test_a_listen_queue_of_one_before_workers_that_stand_still(bench: Bench) -> None:
    short = CONFIG.replace("listen 127.0.0.1:@@http_port@@;", "listen 127.0.0.1:@@http_port@@ backlog=1;")
    stop = SignalNginx(signal="STOP", to="workers", resume_after_s=0.6)
    spec = trial_spec(config=short, stream={"keep_alive": False, "connections": 50}).model_copy(
        update={"perturbations": [PerturbationSpec(key="p", when=Once(at_s=0.2), action=stop)]}
    )
    assert "listen overflows" in fires(bench.run(spec).results, "accept-queue", "warning")


@pytest.mark.usefixtures("own_network")
def test_a_full_table_of_connections(bench: Bench) -> None:
    if not CONNTRACK_LIMIT.exists():
        pytest.skip("this kernel has no connection-tracking table")
    if shutil.which("nft") is None:
        pytest.skip("nft is not installed: it makes a network namespace track connections")
    track = "table ip ngxlab { chain in { type filter hook output priority 0; ct state new accept; }; }"
    subprocess.run(["nft", "-f", "-"], input=track, text=True, check=True)

    def fill(record: TrialRecord) -> None:
        wanted = round(0.85 * int(CONNTRACK_LIMIT.read_text()))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for number in range(wanted):
                sender.sendto(b"", (f"127.1.0.{1 + number // 60_000}", 1024 + number % 60_000))

    assert "tracked connections" in fires(bench.run(trial_spec(), fill).results, "conntrack", "error")


@contextmanager
def slow_link() -> Iterator[str]:
    """A device of 10 Mbit/s, as a kernel reports of a tunnel, with a network behind it. Gives an address there."""
    if not TUN.exists():
        pytest.skip("this kernel has no tunnel devices")
    tunnel = os.open(TUN, os.O_RDWR | os.O_NONBLOCK)
    try:
        fcntl.ioctl(tunnel, TUNSETIFF, struct.pack("16sH", b"slow0", IFF_TUN | IFF_NO_PI))
        subprocess.run(["ip", "address", "add", "10.9.9.1/24", "dev", "slow0"], check=True)
        subprocess.run(["ip", "link", "set", "slow0", "up", "txqueuelen", "10"], check=True)
        yield "10.9.9.2"
    finally:
        os.close(tunnel)
