"""How connections are spread over processes and addresses, and which limits are reported."""

from dataclasses import replace

import pytest
from ngxlab_worker.engines.base import Target
from ngxlab_worker.engines.idle_hold.obstacles import Room, connections_a_process, obstacles, processes_for
from ngxlab_worker.engines.idle_hold.sources import Sources, local_ports, sources_for

AMPLE = Room(
    descriptor_limit=20_000,
    conntrack_max=2_000_000,
    conntrack_count=100,
    available_bytes=24 << 30,
    open_files=1000,
    most_files=10_000_000,
)


@pytest.mark.parametrize(
    ("connections", "limit", "processes"),
    [
        (1, None, 1),
        (1_000_000, None, 1),
        (17_936, 20_000, 1),
        (17_937, 20_000, 2),
        (100_000, 20_000, 6),
        (1_000_000, 20_000, 56),
        (1_000_000, 1024, None),
        (1, 64, None),
    ],
)
def test_as_many_processes_as_the_limit_asks_for(connections: int, limit: int | None, processes: int | None) -> None:
    assert processes_for(connections, limit) == processes
    fit = connections_a_process(limit)
    if processes is not None and fit is not None:
        assert processes * fit >= connections


def loopback(connections: int, ports: int = 1) -> Sources:
    return sources_for(Target("127.0.0.1", tuple(range(8000, 8000 + ports))), connections)


def test_loopback_has_an_address_for_each_fifth_of_a_port_range() -> None:
    easy = local_ports() // 5
    assert loopback(easy).addresses == ("127.0.1.1",)
    assert loopback(easy + 1).addresses == ("127.0.1.1", "127.0.1.2")
    assert len(loopback(10 * easy, ports=10).addresses) == 1
    assert loopback(1_000_000).room >= 1_000_000
    assert loopback(1).is_own_host


def test_ipv6_loopback_has_one_address() -> None:
    found = sources_for(Target("::1", (8000,)), 1_000_000)
    assert (found.addresses, found.room) == ((), local_ports() // 2)


def test_with_ample_room_nothing_is_in_the_way() -> None:
    assert obstacles(1_000_000, loopback(1_000_000), AMPLE) == []


@pytest.mark.parametrize(
    ("room", "said"),
    [
        (replace(AMPLE, conntrack_max=262_144), "set net.netfilter.nf_conntrack_max to at least 1250125"),
        (replace(AMPLE, available_bytes=8 << 30), "use at most 773094 connections"),
        (replace(AMPLE, most_files=1_000_000), "set fs.file-max to at least"),
        (replace(AMPLE, descriptor_limit=512), "raise LimitNOFILE of the agent's service to at least 1157"),
    ],
)
def test_what_is_in_the_way_is_named_with_the_value_to_set(room: Room, said: str) -> None:
    (found,) = obstacles(1_000_000, loopback(1_000_000), room)
    assert said in found


def test_too_few_addresses_are_named() -> None:
    sources = Sources(("192.0.2.1",), 14_116, 28_232, is_own_host=False)
    (found,) = obstacles(50_000, sources, AMPLE)
    assert "28232 local ports from 1 address allow 14116 connections" in found
    assert "nginx.ports" in found


def test_everything_that_is_in_the_way_is_named_at_once() -> None:
    poor = Room(512, 1000, 10, 1 << 30, 0, 1000)
    assert len(obstacles(1_000_000, Sources((), 14_116, 28_232, is_own_host=True), poor)) == 5


def test_a_table_that_nothing_is_entered_into_limits_nothing() -> None:
    assert obstacles(300_000, loopback(300_000), replace(AMPLE, conntrack_max=1000, conntrack_count=0)) == []


def test_this_host_can_be_read() -> None:
    room = Room.of_this_host(1000)
    assert room.available_bytes is not None
    assert room.most_files is not None
    assert obstacles(10, loopback(10), room) == []
