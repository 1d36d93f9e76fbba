"""The nodes of a group after each change."""

from itertools import pairwise

import pytest
from ngxlab_contracts.trials import Endpoint, UpstreamGroup
from ngxlab_worker.upstream_groups import Group, Groups


def group(nodes: int, ports: int = 3, **more: str) -> Group:
    endpoint = Endpoint(name="upstream.app", address="127.0.0.1", ports=list(range(8001, 8001 + ports)))
    return Group(UpstreamGroup(name="changing", nodes=nodes, endpoint="upstream.app", **more), endpoint)


def test_instances_are_taken_in_turn() -> None:
    assert group(5).nodes == [f"127.0.0.1:{port}" for port in (8001, 8002, 8003, 8001, 8002)]


@pytest.mark.parametrize(("nodes", "ports"), [(1, 2), (2, 1), (3, 3), (40, 40), (350, 40), (39, 40)])
def test_every_change_is_one(nodes: int, ports: int) -> None:
    changing = group(nodes, ports)
    seen = [changing.nodes]
    for _ in range(6):
        changing.change()
        seen.append(changing.nodes)
    assert all(before != after for before, after in pairwise(seen))
    assert {len(found) for found in seen} <= {nodes, nodes - 1}
    assert all(found for found in seen)


def test_statements_are_those_of_an_upstream_block() -> None:
    assert group(2).statements == "server 127.0.0.1:8001;server 127.0.0.1:8002;"
    assert (
        group(1, health_check="interval=3000 type=tcp").statements
        == "server 127.0.0.1:8001;check interval=3000 type=tcp;"
    )


def test_an_ipv6_address_is_in_brackets() -> None:
    endpoint = Endpoint(name="upstream.app", address="::1", ports=[8001])
    spec = UpstreamGroup(name="changing", nodes=1, endpoint="upstream.app")
    (only,) = Groups([spec], [endpoint])
    assert only.nodes == ["[::1]:8001"]
