"""A healthy trial on several hosts whose every figure is known: a target, generators, and hosts of backends.

The clocks of the hosts differ as told. Every second each stream completes the responses given for it, and its
generator uses a tenth of a core in each of two threads while it runs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from analysis import builders, scenario
from analysis.builders import Column, Columns, Samples, Value, constant, line
from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import Event, NginxTotal
from ngxlab_contracts.trials import UpstreamServerSpec

WARMUP_S, MEASURE_S = 2, 10
HOT_US, COLD_US = [100] * 900, [2000] * 91 + [50_000] * 9
"""A second of either stream."""
TOTAL = 12 * (len(HOT_US) + len(COLD_US))
"""Requests of both streams, warm-up included."""


def stream(key: str, connections: int = 50, **when: float) -> StreamSpec:
    return StreamSpec.model_validate(
        {"key": key, "engine": "wrk", "threads": 2, "connections": connections} | when,
    )


def inventory(name: str, **changes: object) -> Inventory:
    plain = builders.inventory(hostname=name, boot_id=f"boot of {name}", speed_mbps=1000)
    return plain.model_copy(update=changes)


def target(
    *,
    streams: Mapping[str, Sequence[int]] | None = None,
    columns: Columns | None = None,
    total: int | None = TOTAL,
    active: float = 101,
    own: Inventory | None = None,
    extra: Sequence[Event] = (),
) -> HostRecord:
    """The nginx under test, with ``streams`` of its own where they are given."""
    plans = [stream(key) for key in streams or {}]
    of = builders.spec(host_name="target", streams=plans, remote_streams=True)
    nginx_only = [column for column in scenario.worker_columns() if column[1]["role"] != "generator"]
    local = [column for plan in plans for column in generator_columns(plan, 0)]
    collectors = [
        builders.collector(of, scenario.nginx_columns(active=active), layout=0, name="stub_status"),
        builders.collector(of, [*nginx_only, *local], layout=1, name="process"),
        builders.collector(of, columns or _without_generator(scenario.host_columns(), 0.3), layout=2, name="host"),
    ]
    events: list[Event] = [builders.process("nginx-worker", "0", index) for index in range(4)]
    events += [builders.artefact("nginx.conf", of.nginx.config if of.nginx else "")]
    events += [NginxTotal(t_us=builders.T0_US, requests=total), *results(streams or {}), *extra]
    events += [builders.process("generator", "1", stream=plan.key) for plan in plans]
    latency = [one for key, values in (streams or {}).items() for one in builders.intervals(of, _always(values), key)]
    return builders.host(of, collectors, latency, events, of_inventory=own or inventory("target"), name="target")


def generator(
    name: str,
    streams: Mapping[str, Sequence[int]],
    *,
    plans: Sequence[StreamSpec] | None = None,
    cores_a_thread: float = 0.1,
    columns: Columns | None = None,
    own: Inventory | None = None,
    extra: Sequence[Event] = (),
    errors: Mapping[str, int] | None = None,
) -> HostRecord:
    """``streams``: the latencies of a second. ``plans``: their specs, if not the whole trial long."""
    plans = plans or [stream(key) for key in streams]
    of = builders.spec(host_name=name, target=False, streams=plans)
    agent: Columns = [
        ("ngxlab_process_run_seconds_total", {"role": "agent", "index": "0"}, line(0.004)),
        ("ngxlab_process_cpu_seconds_total", {"role": "agent", "index": "0", "mode": "user"}, line(0.004)),
    ]
    of_streams = [
        column for index, plan in enumerate(plans) for column in generator_columns(plan, index, cores_a_thread)
    ]
    collectors = [
        builders.collector(of, [*of_streams, *agent], layout=0, name="process"),
        builders.collector(of, columns or quiet_columns(0.2 * len(plans)), layout=1, name="host"),
    ]
    latency = []
    for plan in plans:
        latency += [
            one for one in builders.intervals(of, _always(streams[plan.key]), plan.key) if _lives(plan, one.t0_us)
        ]
    events: list[Event] = [builders.process("generator", "0-1", stream=plan.key) for plan in plans]
    events += [*results(streams, **(errors or {})), *extra]
    return builders.host(of, collectors, latency, events, of_inventory=own or inventory(name), name=name)


def upstream_host(name: str = "upstream", descriptors: int = 110) -> HostRecord:
    """A host that does nothing but answer nginx, with 0.3 cores and up to 512 connections, nginx's default."""
    of = builders.spec(host_name=name, target=False, streams=[])
    of = of.model_copy(
        update={"upstream_servers": [UpstreamServerSpec(key="slow", binary="/usr/sbin/nginx", config="", instances=2)]}
    )
    process: Columns = [
        ("ngxlab_process_cpu_seconds_total", {"role": "upstream", "index": "0", "mode": "user"}, line(0.3)),
        ("ngxlab_process_run_seconds_total", {"role": "upstream", "index": "0"}, line(0.3)),
        ("ngxlab_process_open_fds", {"role": "upstream", "index": "0"}, constant(descriptors)),
        ("ngxlab_process_run_seconds_total", {"role": "agent", "index": "0"}, line(0.004)),
    ]
    collectors = [
        builders.collector(of, process, layout=0, name="process"),
        builders.collector(of, quiet_columns(0.3), layout=1, name="host"),
    ]
    events = [builders.process("upstream", "0-1")]
    return builders.host(of, collectors, (), events, of_inventory=inventory(name), name=name)


def quiet_columns(cores: float) -> Columns:
    """A host with two CPUs that does nothing but ``cores`` of work, over eth0 at 20 % of 1 Gbit/s."""
    return [
        ("node_cpu_seconds_total", {"cpu": "0", "mode": "user"}, line(cores)),
        ("node_cpu_seconds_total", {"cpu": "0", "mode": "idle"}, line(2 - cores)),
        ("node_load1", {}, constant(0.1)),
        ("node_network_receive_bytes_total", {"device": "eth0"}, line(25e6)),
        ("node_network_transmit_bytes_total", {"device": "eth0"}, line(1e6)),
        ("node_sockstat_TCP_tw", {}, constant(3)),
        ("node_nf_conntrack_entries", {}, constant(10)),
        ("node_nf_conntrack_entries_limit", {}, constant(1000)),
    ]


def generator_columns(plan: StreamSpec, index: int, cores_a_thread: float = 0.1) -> list[Column]:
    labels = {"role": "generator", "index": str(index), "stream": plan.key}
    used = _while_alive(plan, 2 * cores_a_thread)
    columns: list[Column] = [
        ("ngxlab_process_run_seconds_total", labels, used),
        ("ngxlab_process_cpu_seconds_total", labels | {"mode": "user"}, used),
    ]
    for thread in ("1", "2"):
        own = {"role": "generator", "stream": plan.key, "thread": thread}
        columns.append(("ngxlab_thread_run_seconds_total", own, _while_alive(plan, cores_a_thread)))
    return columns


def results(streams: Mapping[str, Sequence[int]], **errors: int) -> list[Event]:
    counts = {key: 12 * len(values) for key, values in streams.items()}
    return [
        *(builders.stream_result(key, live=count, printed=count, stub=None, **errors) for key, count in counts.items()),
        *(builders.answer(200, key) for key in counts),
    ]


def with_clock(record: HostRecord, offset_us: int, late_us: int = 0) -> HostRecord:
    """The same record seen by a clock ``offset_us`` behind the backend's, from a host that began ``late_us`` late."""
    by_us = late_us - offset_us
    return replace(
        record,
        clock_offset_us=offset_us,
        frames=[frame._replace(t_us=frame.t_us + by_us) for frame in record.frames],
        intervals=[
            one.model_copy(update={"t0_us": one.t0_us + by_us, "t1_us": one.t1_us + by_us}) for one in record.intervals
        ],
        events=[event.model_copy(update={"t_us": event.t_us + by_us}) for event in record.events],
    )


def two_streams() -> TrialRecord:
    """The target is not the first; the generators' clocks are 20 and 30 ms off."""
    gen_a = with_clock(generator("gen-a", {"hot": HOT_US}), 30_000)
    gen_b = with_clock(generator("gen-b", {"cold": COLD_US}), -20_000, late_us=3_000)
    return builders.trial(gen_a, gen_b, target())


def host_id(name: str) -> UUID:
    return builders.identity(name)


def _without_generator(columns: Columns, cores: float) -> Columns:
    """The scenario's host less what its generator used: user time on CPU 0 that is now idle."""
    changed = {("0", "user"): line(0.35 - cores), ("0", "idle"): line(0.3 + cores)}
    return [
        (name, labels, changed.get((labels.get("cpu", ""), labels.get("mode", "")), value))
        for name, labels, value in columns
    ]


def _always(values: Sequence[int]) -> Samples:
    return lambda t_s: values


def _lives(plan: StreamSpec, t_us: int) -> bool:
    since_s = (t_us - builders.T0_US) / 1e6
    return plan.start_offset_s <= since_s < plan.start_offset_s + (plan.duration_s or 1e9)


def _while_alive(plan: StreamSpec, cores: float) -> Value:
    begins = plan.start_offset_s - WARMUP_S
    ends = begins + (plan.duration_s or 1e9)
    return lambda t_s: cores * (min(max(t_s, begins), ends) - begins)
