"""Where a host may send load."""

from ipaddress import ip_address, ip_interface

import pytest
from ngxlab_worker.core.reach import Reach

INTERFACES = ["127.0.0.1/8", "10.1.2.3/16", "9.8.7.6/24", "fe80::1/64", "fd00::5/64", "169.254.3.3/16"]


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ngxlab_worker.core.reach._interfaces", lambda: map(ip_interface, INTERFACES))


@pytest.mark.usefixtures("host")
@pytest.mark.parametrize(
    ("allowed", "address", "may"),
    [
        (None, "127.0.0.1", True),
        (None, "::1", True),
        (None, "9.8.7.6", True),  # itself
        (None, "9.8.7.5", False),  # a neighbour in a public network
        (None, "10.1.200.1", True),
        (None, "10.2.0.1", False),
        (None, "fd00::99", True),
        (None, "1.1.1.1", False),
        (None, "169.254.169.254", False),
        (None, "0.0.0.0", False),
        ([], "10.1.200.1", False),
        ([], "10.1.2.3", True),
        (["9.8.7.0/24"], "9.8.7.5", True),
        (["9.8.7.0/24"], "10.1.200.1", False),
        (["2001:db8::/64"], "2001:db8::7", True),
    ],
)
def test_targets(allowed: list[str] | None, address: str, may: bool) -> None:
    refusal = Reach.of_this_host(allowed).refusal(address)
    assert (refusal is None) == may, refusal
    assert may or "(allow_targets)" in str(refusal)


@pytest.mark.usefixtures("host")
@pytest.mark.parametrize(
    ("address", "here"), [("10.1.2.3", True), ("127.0.0.5", True), ("0.0.0.0", False), ("x", False), ("::", False)]
)
def test_servers_listen_only_at_addresses_of_the_host(address: str, here: bool) -> None:
    assert (Reach.of_this_host(["0.0.0.0/0"]).foreign(address) is None) == here


def test_this_host_knows_its_addresses() -> None:
    assert ip_address("127.0.0.1") in Reach.of_this_host(None).own
