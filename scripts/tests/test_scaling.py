"""docker-compose.yml: what ``docker compose up --scale`` needs."""

import inspect
from ipaddress import IPv4Network

import pytest
from ngxlab.core.database import Database

from scripts.paths import ROOT
from scripts.tests.test_compose import compose

BACKENDS = 4
"""So many as docs/operating.md promises."""
POSTGRES_CONNECTIONS = 100
"""PostgreSQL's default."""


@pytest.mark.parametrize("service", ["backend", "jobs", "coordinator"])
def test_no_two_containers_share_a_name_a_port_an_address_or_a_volume(service: str) -> None:
    scaled = compose()["services"][service]
    assert not {"container_name", "ports", "hostname", "volumes"} & scaled.keys()
    assert isinstance(scaled.get("networks", []), list)  # names only: an address would be that of one container


def test_there_are_connections_and_addresses_for_all_of_them() -> None:
    pool = inspect.signature(Database).parameters["pool_size"].default
    assert BACKENDS * 2 * pool < POSTGRES_CONNECTIONS
    [addresses] = compose()["networks"]["proxy"]["ipam"]["config"]
    assert len(list(IPv4Network(addresses["ip_range"]).hosts())) >= BACKENDS


def test_the_front_asks_for_the_backends_by_the_name_that_all_of_them_have() -> None:
    assert "NGXLAB_BACKENDS=backend:8400" in (ROOT / "docker/front.Dockerfile").read_text()


def test_there_are_as_many_backends_as_are_set() -> None:
    assert compose()["services"]["backend"]["deploy"]["replicas"] == 1
    assert compose(NGXLAB_BACKEND_PROCESSES="3")["services"]["backend"]["deploy"]["replicas"] == 3


def test_each_coordinator_has_as_many_slots_as_are_set() -> None:
    named = compose(NGXLAB_COORDINATOR_SLOTS="7")["services"]["coordinator"]["environment"]
    assert str(named["NGXLAB_COORDINATOR_SLOTS"]) == "7"
