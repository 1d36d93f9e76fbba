"""Room for connections on hosts with known limits, by engine."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from harness import inventory
from ngxlab.core.errors import Conflict
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.streams import Stream
from ngxlab.definition.schema.upstream_servers import UpstreamServer
from ngxlab.hosts.models import Host
from ngxlab.runs.preflight.assignment import Assigned
from ngxlab.runs.preflight.host_limits import refuse_beyond_limits
from ngxlab.templates.registry import template
from ngxlab_contracts.hosts import Nic

LIMITS = {"nofile_hard": "20000", "ip_local_port_range": "32768 60999", "nf_conntrack_max": "262144"}
HOST, OTHER = uuid4(), uuid4()


def idle(connections: int, **nginx: Any) -> Definition:
    chosen = template("idle-connections")
    made = chosen.build(chosen.complete({"connections": str(connections), "warmup_s": 600}))
    return made.model_copy(update={"nginx": made.nginx.model_copy(update=nginx)})


def with_engine(engine: str, connections: int, threads: int) -> Definition:
    made = idle(100, workers=8, worker_connections=20_000)
    load: dict[str, Any] = {"open_loop": {"rate_per_s": 10}} if engine == "open-loop" else {}
    stream = {"key": "load", "engine": engine, "threads": threads, "connections": connections, **load}
    return made.model_copy(update={"streams": [Stream.model_validate(stream)]})


def assigned(slot: str, host_id: UUID, address: str, addresses: list[str], **limits: str) -> Assigned:
    nics = [Nic(name="eth0", addresses=addresses, speed_mbps=None, mtu=1500)]
    memory = int(limits.pop("memory_bytes", str(16 << 30)))
    known = inventory(limits=LIMITS | limits, nics=nics, memory_bytes=memory)
    return Assigned(slot, Host(id=host_id, name=slot), known, address)


def alone(**limits: str) -> list[Assigned]:
    return [assigned(slot, HOST, "127.0.0.1", ["192.0.2.1"], **limits) for slot in ("target", "generator")]


def apart(addresses: list[str], **limits: str) -> list[Assigned]:
    return [
        assigned("target", HOST, "192.0.2.1", ["192.0.2.1"], **limits),
        assigned("generator", OTHER, addresses[0], addresses, **limits),
    ]


def proxying(connections: int, worker_connections: int) -> Definition:
    made = with_engine("open-loop", connections, 1)
    nginx = made.nginx.model_copy(
        update={
            "workers": 1,
            "worker_connections": worker_connections,
            "http": 'upstream app { {{ servers("app") }} }',
            "server": "location / { proxy_pass http://app; }",
        }
    )
    upstream = UpstreamServer.model_validate({"key": "app", "slot": "target", "server": "location / { return 204; }"})
    return made.model_copy(update={"nginx": nginx, "upstream_servers": [upstream]})


def check(definition: Definition, hosts: list[Assigned]) -> None:
    refuse_beyond_limits(definition, hosts, [resolve(definition, arm) for arm in definition.arms])


def test_a_hundred_thousand_idle_connections_fit_a_small_host() -> None:
    check(idle(100_000), alone())


def test_a_million_fit_with_a_larger_table() -> None:
    check(idle(1_000_000), alone(nf_conntrack_max="2000000"))


@pytest.mark.parametrize(
    ("definition", "hosts", "code", "said"),
    [
        (idle(1_000_000), alone(), "conntrack-too-small", "net.netfilter.nf_conntrack_max to at least 1250000"),
        (idle(200_000), alone(memory_bytes=str(2 << 30)), "too-little-memory", "At most 343597 ends fit"),
        (idle(100_000, workers=5), alone(), "too-few-worker-connections", "Raise worker_connections"),
        (
            idle(100_000, workers=5, worker_connections=30_000),
            alone(),
            "too-many-worker-connections",
            "Set at most 20000",
        ),
        (idle(93_750, workers=5, worker_connections=20_000), alone(), "too-few-workers", "workers to at least 6"),
        (idle(50_000), apart(["192.0.2.2", "192.0.2.3"]), "too-many-connections", "At most 28232 connections fit"),
        (with_engine("wrk", 18_000, 1), alone(), "too-many-connections", "At most 17936 connections fit"),
        (with_engine("wrk", 15_000, 1), alone(), "too-many-connections", "At most 14116 connections fit"),
        (with_engine("open-loop", 40_000, 2), alone(), "too-many-connections", "At most 35872 connections fit"),
    ],
)
def test_what_has_no_room_is_refused_with_what_would_fit(
    definition: Definition, hosts: list[Assigned], code: str, said: str
) -> None:
    with pytest.raises(Conflict) as refused:
        check(definition, hosts)
    assert refused.value.code == code
    assert said in refused.value.detail


def test_nginx_needs_a_second_connection_for_each_that_it_proxies() -> None:
    check(proxying(900, worker_connections=1920), alone())
    with pytest.raises(Conflict, match=r"the load needs 2000 \(each has another one to an upstream server\)"):
        check(proxying(1000, worker_connections=1920), alone())


def test_connections_of_http3_take_several_of_nginx_and_no_descriptors() -> None:
    definition = with_engine("open-loop", 100, 1)
    stream = definition.streams[0].model_copy(update={"protocol": "http/3"})
    speaking = definition.model_copy(update={"streams": [stream]})
    listening = {"workers": 1, "tls": True, "listen_options": "quic"}
    for room in (747, 740):
        nginx = speaking.nginx.model_copy(update={**listening, "worker_connections": room})
        made = speaking.model_copy(update={"nginx": nginx})
        if room == 747:
            check(made, alone())
            continue
        with pytest.raises(Conflict, match=r"the load needs 700\. Raise"):
            check(made, alone())


def test_more_ports_and_more_addresses_make_room() -> None:
    check(idle(50_000), apart([f"192.0.2.{n}" for n in range(2, 6)]))
    check(idle(50_000, ports=4), apart(["192.0.2.2"]))


def test_what_a_host_does_not_tell_refuses_nothing() -> None:
    check(idle(100_000), alone(nofile_hard="unlimited", nf_conntrack_max="unavailable: No such file or directory"))
